import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import { buildPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../../tools/wikiSearch/createIndexRetriever.ts';
import { openIndexFile } from '../../tools/wikiSearch/openPassageIndex.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';

const root = sharedFolder();

const file = (name: string) => path.join(root, name);
const never = new AbortController().signal;

/** More than a query may look at: "all" and "most" are in (nearly) every passage. */
const SIZE = 60_000;
const contentsOf = (at: number) =>
  `"Lot ${at}"\nall ${at % 10 === 0 ? 'few' : 'most'} group${at % 50} kind${at % 997} ${'kind1 '.repeat(at % 3)}item${at}`;

function writeCorpus(name: string, size: number): string {
  const lines = Array.from(
    { length: size },
    (_, at) => `${JSON.stringify({ id: `p${at}`, contents: contentsOf(at) })}\n`,
  );
  const text = lines.join('');
  writeFileSync(file(name), name.endsWith('.gz') ? gzipSync(text) : text);
  return file(name);
}

beforeAll(async () => {
  await buildPassageIndex(writeCorpus('big.jsonl', SIZE), file('big.sqlite'));
});

/** The first 10 by SQLite's own `bm25()` over some words. */
function bestOf(words: readonly string[]) {
  const database = new DatabaseSync(file('big.sqlite'), { readOnly: true });
  const rows = database
    .prepare(
      'SELECT rowid AS number, -bm25(words, 2, 1) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, rowid LIMIT 10',
    )
    .all(words.map((word) => `"${word}"`).join(' OR '));
  database.close();
  return rows.map((row) => row.score);
}

describe('a corpus with words that nearly all passages hold', () => {
  test.each([
    ['all most kind503 item12345 group7', 'kind503 item12345 group7'],
    ['all few group7 kind1', 'few group7 kind1'],
    ['kind7s kind8 kind9 group3', 'kind7s kind8 kind9 group3'],
  ])('finds for "%s" what scoring every passage with its rarest words finds', (query, rarest) => {
    const index = openIndexFile(file('big.sqlite'));
    const found = index.search(query, 10);
    index.close();
    expect(found).toHaveLength(10);
    expect(found.map(({ score }) => score)).toEqual(bestOf(rarest.split(' ')));
  });

  test('words that none holds change nothing, and common ones alone find something', () => {
    const index = openIndexFile(file('big.sqlite'));
    expect(index.search('zebra all', 3)).toEqual(index.search('all', 3));
    expect(index.search('all most', 5)).toHaveLength(5);
    for (const { contents } of index.read(index.search('few all', 5).map(({ number }) => number)).values())
      expect(contents).toContain('few');
    expect(index.search('item777 all', 3)).toHaveLength(3);
    expect(index.search('item777 all', 3)[0]!.number).toBe(778);
    index.close();
  });
});

describe('searching on other threads', () => {
  const open = () =>
    createIndexRetriever({ files: { index: file('big.sqlite') }, passages: SIZE, mode: 'bm25' });

  test('answers many at once as one thread does, each in its place', async () => {
    const retriever = open();
    const queries = Array.from({ length: 40 }, (_, at) => `item${at * 7} kind${at}`);
    const found = await retriever.retrieve(queries, 3, never);
    await retriever.close();
    const index = openIndexFile(file('big.sqlite'));
    for (const [at, query] of queries.entries()) {
      const here = index.search(query, 3);
      expect(found[at]!.map(({ id, score }) => [id, score])).toEqual(
        here.map(({ number, score }) => [`p${number - 1}`, score]),
      );
    }
    index.close();
  });

  test('one that is given up before its turn is not searched for', async () => {
    const retriever = open();
    const stop = new AbortController();
    stop.abort(new Error('given up'));
    await expect(retriever.retrieve(['item1'], 1, stop.signal)).rejects.toThrow('given up');
    expect(await retriever.retrieve(['item1'], 1, never)).toMatchObject([[{ id: 'p1' }]]);
    await retriever.close();
  });

  test('an index that is gone is the service’s fault, and fixed once it is back', async () => {
    const kept = readFileSync(file('big.sqlite'));
    const moving = file('moving.sqlite');
    const retriever = createIndexRetriever({ files: { index: moving }, passages: SIZE, mode: 'bm25' });
    const failed = retriever.retrieve(['item1'], 1, never);
    await expect(failed).rejects.toBeInstanceOf(RecordFailure);
    await expect(failed).rejects.toMatchObject({ failure: { cause: 'tool_unavailable' } });
    writeFileSync(moving, kept);
    expect(await retriever.retrieve(['item1'], 1, never)).toMatchObject([[{ id: 'p1' }]]);
    await retriever.close();
  });
});

describe('building', () => {
  test('one that is stopped leaves nothing', async () => {
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('stopped'));
    const building = buildPassageIndex(file('big.jsonl'), file('stopped.sqlite'), {
      signal: stop.signal,
      onProgress,
    });
    await expect(building).rejects.toThrow('stopped');
    expect(readdirSync(root).filter((name) => name.startsWith('stopped'))).toEqual([]);
  });

  test('what a killed build left is taken away by the next', async () => {
    // No process has the greatest number that Linux gives.
    const left = file(`.next.sqlite.${hostname()}.${2 ** 22}.0.tmp`);
    writeFileSync(left, 'half an index');
    await buildPassageIndex(writeCorpus('small.jsonl', 10), file('next.sqlite'));
    expect(existsSync(left)).toBe(false);
  });

  test.each([
    [
      'no gzip',
      'bad.jsonl.gz',
      Buffer.from('plain text'),
      /bad\.jsonl\.gz: the passage corpus can't be read/,
    ],
    [
      'cut off',
      'cut.jsonl.gz',
      gzipSync('{"id":"1","contents":"x"}\n'.repeat(9)).subarray(0, 30),
      /can't be read/,
    ],
  ])('a corpus that is %s is the user’s mistake', async (_how, name, bytes, message) => {
    writeFileSync(file(name), bytes);
    await expect(buildPassageIndex(file(name), file('never.sqlite'))).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(message),
    });
    expect(existsSync(file('never.sqlite'))).toBe(false);
  });
});
