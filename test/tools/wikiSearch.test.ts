import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { keepPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../../tools/wikiSearch/createIndexRetriever.ts';
import { createWikiSearchTool } from '../../tools/wikiSearch/createWikiSearchTool.ts';
import { openIndexFile } from '../../tools/wikiSearch/openPassageIndex.ts';
import { splitContents } from '../../tools/wikiSearch/passage.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';

const root = sharedFolder();
const cache = path.join(root, 'cache');
const { signal } = new AbortController();
beforeEach(() => rmSync(cache, { recursive: true, force: true }));

const corpusLines = [
  { id: 'p3', contents: '"Kessa"\nAn island of fishers.' },
  { id: 'p1', contents: '"Ada Brun"\nShe was born on Kessa in 1812.\nLater she founded Brun Lines.' },
  { id: 'p2', contents: '"Twin"\nSame words here.' },
  { id: 'p0', contents: '"Twin"\nSame words here.' },
  { id: 7, contents: '"Line"\nA separator \u2028 inside.', extra: true },
];

function writeCorpus(lines: readonly unknown[]): string {
  const file = path.join(root, 'corpus.jsonl');
  writeFileSync(
    file,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return file;
}

async function openCorpus(lines: readonly unknown[] = corpusLines) {
  const { file, meta } = await keepPassageIndex(writeCorpus(lines), cache);
  const index = openIndexFile(file);
  const found = (query: string, limit: number) => {
    const numbers = index.search(query, limit).map(({ number }) => number);
    const passages = index.read(numbers);
    return numbers.map((number) => passages.get(number)!);
  };
  return { size: meta.passages, found, close: () => index.close() };
}

async function openTool(topK = 2) {
  const { file, meta } = await keepPassageIndex(writeCorpus(corpusLines), cache);
  const retriever = createIndexRetriever({ files: { index: file }, passages: meta.passages, mode: 'bm25' });
  return { retriever, tool: createWikiSearchTool({ retriever, topK }) };
}

async function ids(query: string, limit = 10) {
  const index = await openCorpus();
  const found = index.found(query, limit).map(({ id }) => id);
  index.close();
  return found;
}

describe('search', () => {
  test('finds any word, the title first, whatever its form', async () => {
    expect(await ids('KESSA')).toEqual(['p3', 'p1']);
    expect(await ids('who founds a line?')).toEqual(expect.arrayContaining(['p1', '7']));
    expect(await ids('zebra')).toEqual([]);
  });

  test('orders equal scores by id and keeps to the limit', async () => {
    expect(await ids('same words')).toEqual(['p0', 'p2']);
    expect(await ids('same words', 1)).toEqual(['p0']);
  });

  test('reads U+2028 as part of a line, blank lines as nothing, and counts', async () => {
    const index = await openCorpus([...corpusLines, '', '  ']);
    expect(index.size).toBe(5);
    expect(index.found('separator', 1)).toEqual([
      { id: '7', contents: '"Line"\nA separator \u2028 inside.' },
    ]);
    index.close();
  });

  test('no text makes it throw or be read as FTS5 syntax', async () => {
    const index = await openCorpus();
    const characters = [...'"\'*^)-\0+{}ß\ud800', '\u0301'];
    const words = ['NEAR(', ' OR ', ' AND ', ' NOT ', 'title:', 'kessa'];
    const pieces = fc.constantFrom(...characters, ...words);
    const query = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 300 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(query, (text) => {
        expect(index.found(text, 3).length).toBeLessThanOrEqual(3);
        expect(index.found(`${text} kessa`, 5).map(({ id }) => id)).toContain('p3');
      }),
      { numRuns: 300 },
    );
    expect(index.found('NOT fishers', 5).map(({ id }) => id)).toEqual(['p3']);
    index.close();
  });
});

describe('the kept index', () => {
  const keptFile = () => path.join(cache, readdirSync(cache)[0]!);
  const open = async () => {
    const { meta } = await keepPassageIndex(writeCorpus(corpusLines), cache);
    return meta.passages;
  };

  test('is used again for the same corpus, and nothing else lies beside it', async () => {
    await open();
    const { ino } = statSync(keptFile());
    await open();
    expect(statSync(keptFile()).ino).toBe(ino);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test('has the same bytes whenever it is built', async () => {
    await open();
    const first = readFileSync(keptFile());
    rmSync(cache, { recursive: true });
    await open();
    expect(readFileSync(keptFile()).equals(first)).toBe(true);
  });

  test.each([
    ['cut short', (file: string) => truncateSync(file, 8192)],
    ['one page short', (file: string) => truncateSync(file, statSync(file).size - 4096)],
    ['emptied', (file: string) => truncateSync(file, 0)],
    ['no database', (file: string) => writeFileSync(file, 'nonsense'.repeat(2000))],
  ])('is built again when it is %s', async (_how, damage) => {
    await open();
    damage(keptFile());
    expect(await open()).toBe(5);
    expect(readdirSync(cache)).toHaveLength(1);
  });
});

describe('a bad corpus', () => {
  test.each<[string, unknown[], RegExp]>([
    ['broken JSON', [...corpusLines, '{"id": "x"'], /corpus\.jsonl:6: not JSON/],
    ['no contents', [corpusLines[0], { id: 'x' }], /corpus\.jsonl:2: contents: expected a string/],
    ['empty contents', [{ id: 'x', contents: ' ' }], /corpus\.jsonl:1: contents: is empty/],
    ['a bad id', [{ id: null, contents: 'x' }], /corpus\.jsonl:1: id: expected a string or a whole number/],
    ['a list', [[]], /corpus\.jsonl:1: the line/],
    ['nothing', [''], /holds no passages/],
  ])('%s is named with file and line, and leaves no index', async (_name, lines, message) => {
    const opened = keepPassageIndex(writeCorpus(lines), cache);
    await expect(opened).rejects.toBeInstanceOf(UserError);
    await expect(opened).rejects.toThrow(message);
    expect(readdirSync(cache)).toEqual([]);
  });
});

test('contents are split into title and text', () => {
  expect(splitContents('"A "B" C"\nx\ny')).toEqual({ title: 'A "B" C', text: 'x\ny' });
  expect(splitContents('No quotes')).toEqual({ title: 'No quotes', text: '' });
});

test('the tool shows numbered documents, or what to do', async () => {
  const { retriever, tool } = await openTool();
  const { observation, raw } = await tool.call({ query: 'Kessa' }, signal);
  expect(observation).toBe(
    'Doc 1 (Title: "Kessa")\nAn island of fishers.\n\n' +
      'Doc 2 (Title: "Ada Brun")\nShe was born on Kessa in 1812.\nLater she founded Brun Lines.',
  );
  expect(raw).toMatchObject([{ id: 'p3' }, { id: 'p1' }]);
  expect((await tool.call({ query: 'zebra' }, signal)).observation).toBe(
    "No passages found for query: 'zebra'.",
  );
  await retriever.close();
  await expect(tool.call({ query: 'Kessa' }, signal)).rejects.toMatchObject({
    failure: { cause: 'tool_unavailable' },
  });
});

test('the tool takes a query, and says so', async () => {
  const { retriever, tool } = await openTool();
  await retriever.close();
  expect(tool.parseInput({ query: ' Kessa ' })).toEqual({ ok: true, input: { query: 'Kessa' } });
  expect(tool.parseInput({ q: 'Kessa' })).toMatchObject({
    ok: false,
    error: expect.stringMatching(/query: .*there is no q.*Expected \{"query": "what to look for"\}/),
  });
  expect(tool.parseInput({ query: ' ' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('query: is empty'),
  });
});
