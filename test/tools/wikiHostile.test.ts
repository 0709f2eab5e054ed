import { copyFileSync, existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../../tools/wikiSearch/createIndexRetriever.ts';
import { buildDenseIndex } from '../../tools/wikiSearch/dense/buildDenseIndex.ts';
import { openDenseIndex } from '../../tools/wikiSearch/dense/openDenseIndex.ts';
import { openIndexFile } from '../../tools/wikiSearch/openPassageIndex.ts';
import { embeddingOf } from '../support/embeddingOf.ts';

const root = mkdtempSync(path.join(tmpdir(), 'coa-hostile-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const file = (name: string) => path.join(root, name);
const never = new AbortController().signal;
const MIB = 1024 * 1024;
const line = (contents: string, id: string | number = 'x') => `${JSON.stringify({ id, contents })}\n`;
const userError = (message: RegExp) => ({ name: 'UserError', message: expect.stringMatching(message) });

describe('a corpus by a stranger', () => {
  const deep = `{"id":"d","contents":"x","more":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
  test.each<[string, string | Buffer, RegExp]>([
    ['long.jsonl', line('a'.repeat(MIB)), /long\.jsonl: line 1 has more than 1048576 bytes/],
    ['blank.jsonl', ' '.repeat(2 * MIB), /blank\.jsonl: line 1 has more/],
    ['bomb.jsonl.gz', gzipSync(Buffer.alloc(256 * MIB, 0x61)), /bomb\.jsonl\.gz: line 1 has more/],
    ['open.jsonl', `${line('a')}${'['.repeat(900_000)}`, /open\.jsonl:2: not JSON/],
    [
      'bytes.jsonl',
      Buffer.concat([Buffer.from(line('a')), Buffer.from([0x22, 0xff, 0x22])]),
      /:2: not UTF-8/,
    ],
  ])('%s is told by its line', async (name, bytes, message) => {
    writeFileSync(file(name), bytes);
    await expect(buildPassageIndex(file(name), file('never.sqlite'))).rejects.toMatchObject(
      userError(message),
    );
    expect(existsSync(file('never.sqlite'))).toBe(false);
  });

  test('NULs, halves of surrogate pairs and deep values of other keys are read as they are', async () => {
    const odd = `{"id":"odd","contents":"\\"O\\u0000dd\\"\\nbefore \\u0000 after \\ud800 half"}`;
    writeFileSync(file('odd.jsonl'), `${odd}\n${deep}\n`);
    await buildPassageIndex(file('odd.jsonl'), file('odd.sqlite'));
    const index = openIndexFile(file('odd.sqlite'));
    for (const word of ['before', 'after', 'half'])
      expect(index.search(word, 1)).toMatchObject([{ number: 1 }]);
    expect(index.read([1]).get(1)!.contents).toBe('"O\u0000dd"\nbefore \u0000 after \ufffd half');
    index.close();
  });
});

describe('an index by a stranger', () => {
  const good = () => file('good.sqlite');
  beforeAll(async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => line(`"Lot ${at}"\nsalt of kind${at}`, at));
    writeFileSync(file('good.jsonl'), lines.join(''));
    await buildPassageIndex(file('good.jsonl'), good());
    const index = openIndexFile(good());
    const embed = async (texts: readonly string[]) => texts.map(embeddingOf);
    const settings = { model: 'hashing', passage_prefix: '', max_chars: 100 };
    const options = { model: { embed }, settings, batchSize: 500, concurrency: 1, signal: never };
    await buildDenseIndex(index, `${good()}.dense`, options);
    index.close();
  });

  const changed = (name: string, sql: string, values: (string | Uint8Array)[] = []): string => {
    copyFileSync(good(), file(name));
    const database = new DatabaseSync(file(name), { defensive: false });
    if (values.length > 0) database.prepare(sql).run(...values);
    else database.exec(sql);
    database.close();
    return file(name);
  };
  const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS value FROM n';

  test.each([
    ['a view that never ends', `DROP TABLE meta; CREATE VIEW meta AS ${endless} ORDER BY x`],
    [
      'a view instead of the passages',
      `DROP TABLE passages; CREATE VIEW passages AS SELECT 1 AS number, 2 AS id, 3 AS contents`,
    ],
    ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON passages BEGIN SELECT 1; END'],
    ['a table more', 'CREATE VIRTUAL TABLE extra USING fts5(x)'],
    ['no sums', 'DELETE FROM words_data WHERE id = 1; DELETE FROM words_config'],
    ['a meta of 100 MB', `UPDATE meta SET value = value || hex(zeroblob(50000000))`],
  ])('with %s is refused', (_what, sql) => {
    expect(() => openIndexFile(changed('refused.sqlite', sql))).toThrowError(
      expect.objectContaining(userError(/refused\.sqlite: not a passage index of version .* damaged/)),
    );
  });

  test('a folder, a cut file and other bytes are refused', () => {
    copyFileSync(good(), file('cut.sqlite'));
    truncateSync(file('cut.sqlite'), 20_000);
    writeFileSync(file('noise.sqlite'), Buffer.alloc(100_000, 'SQLite format 3\0'));
    for (const name of ['.', 'cut.sqlite', 'noise.sqlite'])
      expect(() => openIndexFile(file(name))).toThrowError(
        expect.objectContaining(userError(/not a passage index of version|damaged/)),
      );
  });

  test.each<[string, string, Uint8Array[]]>([
    ['contents that are bytes', `UPDATE passages SET contents = x'ff'`, []],
    ['no passages', 'DELETE FROM passages WHERE number < 100', []],
    ['words of noise', 'UPDATE words_data SET block = ? WHERE id > 10', [Buffer.alloc(4000, 0xff)]],
  ])('with %s is the tool’s failure', async (_what, sql, values) => {
    const index = changed('broken.sqlite', sql, values);
    const retriever = createIndexRetriever({ files: { index }, passages: 5_000, mode: 'bm25' });
    await expect(retriever.retrieve(['salt kind4'], 3, never)).rejects.toMatchObject({
      name: 'RecordFailure',
      failure: { cause: 'tool_unavailable' },
    });
    await retriever.close();
  });

  const changedDense = (name: string, sql: string): string => {
    copyFileSync(`${good()}.dense`, file(name));
    const database = new DatabaseSync(file(name), { defensive: false });
    database.exec(sql);
    database.close();
    return file(name);
  };

  test.each([
    ['vectors cut short', `UPDATE vectors SET vector = x'0102'`],
    ['vectors that are text', `UPDATE vectors SET vector = 'abc'`],
    ['no vectors', 'DELETE FROM vectors'],
    ['signs cut short', `UPDATE signs_vector_chunks00 SET vectors = x'00'`],
    ['a map of signs cut short', `UPDATE signs_chunks SET validity = x'ff', rowids = x'00'`],
  ])('with %s is the tool’s failure', async (_what, sql) => {
    const files = { index: good(), dense: changedDense('broken.dense', sql) };
    const model = async () => ({ embed: async (texts: readonly string[]) => texts.map(embeddingOf) });
    const embeddings = { model, queryPrefix: '' };
    const retriever = createIndexRetriever({ files, passages: 5_000, mode: 'dense', embeddings });
    await expect(retriever.retrieve(['salt'], 3, never)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable' },
    });
    await retriever.close();
  });

  test('vectors behind a view are refused', () => {
    const dense = changedDense('view.dense', `DROP TABLE vectors; CREATE VIEW vectors AS ${endless}`);
    expect(() => openDenseIndex(dense)).toThrowError(
      expect.objectContaining(userError(/view\.dense: not a dense index, or a damaged one/)),
    );
  });
});
