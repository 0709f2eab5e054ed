import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Table as ArrowTable, tableToIPC, vectorFromArray } from 'apache-arrow';
import { Table as ParquetTable, writeParquet } from 'parquet-wasm';
import { describe, expect, test } from 'vitest';
import { rowFilesAt } from '../../../base/rows/rowFilesAt.ts';
import { type CheckFilesOptions, checkFiles, openCheck } from '../../../operations/checkFiles.ts';
import type { Finding } from '../../../output/check/rules.ts';
import { alpacaRow, cleanText, spoiltText } from '../../support/datasetRows.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

async function checked(file: string, content: string | Uint8Array, options: CheckFilesOptions = {}) {
  const full = path.join(temporaryFolder(), file);
  writeFileSync(full, content);
  const findings: Finding[] = [];
  const totals = await checkFiles([full], { ...options, onFinding: (finding) => findings.push(finding) });
  return { full, findings, part: totals.parts[0]! };
}

const segments = (text: string) =>
  text.split(/(?<=>\n+)(?=<)/).map((piece, at) => {
    const origin = piece.startsWith('<observation>') ? 'environment' : 'model';
    return { tag: 'think', origin, text: piece, event: `event-${at}` };
  });

function parquet(texts: readonly string[]): Uint8Array {
  const table = new ArrowTable({
    instruction: vectorFromArray(texts.map(() => 'Answer.')),
    input: vectorFromArray(texts.map(() => 'Question: which river?')),
    output: vectorFromArray([...texts]),
  });
  return writeParquet(ParquetTable.fromIPCStream(tableToIPC(table, 'stream')));
}

/** A good row, then a spoilt one, and the line on which that begins; every layout's text is in everyFormat.test.ts. */
const layouts: readonly [
  what: string,
  file: string,
  content: () => string | Uint8Array,
  line: number | null,
][] = [
  [
    'an alpaca list',
    'a.json',
    () => JSON.stringify([alpacaRow(cleanText), alpacaRow(spoiltText)], null, 2),
    7,
  ],
  [
    'alpaca lines',
    'a.jsonl',
    () => `${JSON.stringify(alpacaRow(cleanText))}\n\n${JSON.stringify(alpacaRow(spoiltText))}\n`,
    3,
  ],
  ['alpaca parquet', 'a.parquet', () => parquet([cleanText, spoiltText]), null],
  [
    'our trajectories',
    'trajectories.jsonl',
    () =>
      [cleanText, spoiltText]
        .map((text) => `${JSON.stringify({ profile: 'mhqa', segments: segments(text) })}\n`)
        .join(''),
    2,
  ],
];

describe('a file', () => {
  test.each(layouts)('of %s', async (_what, file, content, line) => {
    const { full, findings, part } = await checked(file, content());
    expect(part).toMatchObject({ rows: 2, rows_with_findings: 1, profiles: { mhqa: 2 } });
    expect(findings).toContainEqual({
      file: full,
      row: 2,
      file_line: line,
      line: 4,
      column: 34,
      rule: 'wrong_layout',
      severity: 'warning',
      token: null,
      tokens: 0,
      context: null,
      message: expect.stringContaining('found ""'),
    });
    expect(findings.filter(({ rule }) => rule === 'afm_fork')).toMatchObject([
      { row: 2, file_line: line, severity: 'error', message: expect.stringContaining('">" right before') },
    ]);
  });

  test('says where a profile comes from: the user, the row, or a guess', async () => {
    const profilesOf = async (file: string, row: object, options: CheckFilesOptions = {}) => {
      const { profiles, guessed } = (await checked(file, JSON.stringify(row), options)).part;
      return { profiles, guessed };
    };
    const alpaca = alpacaRow(cleanText);
    expect(await profilesOf('a.jsonl', alpaca)).toEqual({ profiles: { mhqa: 1 }, guessed: 1 });
    const web = { profile: 'web' };
    expect(await profilesOf('a.jsonl', alpaca, web)).toEqual({ profiles: { web: 1 }, guessed: 0 });
    const own = { profile: 'mhqa', segments: segments(cleanText) };
    expect(await profilesOf('t.jsonl', own)).toEqual({ profiles: { mhqa: 1 }, guessed: 0 });
  });

  test.each([
    'Paris.',
    '<think>Write a page.</think>\nUse <code>print</code> for <b>all</b>.',
    '<think>It is Paris.</think>\n<answer>Paris</answer>',
  ])('an ordinary chat has no profile, and no fault: %j', async (output) => {
    const { findings, part } = await checked('chats.jsonl', JSON.stringify(alpacaRow(output)));
    expect(findings).toEqual([]);
    expect(part.profiles).toEqual({});
  });

  test('keeps going at rows that are broken or of another layout', async () => {
    const good = JSON.stringify(alpacaRow(cleanText));
    const { findings, part } = await checked(
      'a.jsonl',
      `${good}\n{"instruction": \n{"text": "x"}\n[1]\n${good}\n`,
    );
    expect(findings.map(({ rule, row, file_line }) => [rule, row, file_line])).toEqual([
      ['broken_row', 2, 2],
      ['unknown_row', 3, 3],
      ['unknown_row', 4, 4],
    ]);
    expect(part.rows).toBe(5);
  });

  test.each([
    ['no.json', '[]', 'holds no rows'],
    ['other.json', '[{"question": "x"}]', 'found only a question'],
    ['cut.json', `[${JSON.stringify(alpacaRow(cleanText))},{"instr`, 'ends in the middle of row 2'],
    ['bad.parquet', 'PAR1 and no footer', 'not a readable parquet file'],
  ])('%s is refused', async (file, content, words) => {
    await expect(checked(file, content)).rejects.toThrow(words);
  });
});

describe('a folder', () => {
  test('stands for the dataset files in it, in order, at any depth', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'sub'));
    for (const name of ['b.json', 'a.JSONL', 'sub/c.parquet', 'readme.md', 'x.arrow']) {
      writeFileSync(path.join(folder, name), '{}');
    }
    const found = await rowFilesAt(folder, 'all');
    expect(found.map((file) => path.relative(folder, file.path))).toEqual([
      'a.JSONL',
      'b.json',
      'sub/c.parquet',
      'x.arrow',
    ]);
    expect(found.every((file) => !file.isNamed && file.size === 2)).toBe(true);
  });

  test('passes over files that hold no answers', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'dataset_info.json'), '{\n  "train": {}\n}\n');
    writeFileSync(path.join(folder, 'empty.json'), '');
    writeFileSync(path.join(folder, 'tasks.jsonl'), '{"question": "x"}\n');
    writeFileSync(path.join(folder, 'torn.jsonl'), '{"question"');
    await expect(openCheck(folder)).rejects.toThrow('name a file of rows');
    writeFileSync(path.join(folder, 'sft.jsonl'), JSON.stringify(alpacaRow(cleanText)));
    const { passedOver, dataset } = await openCheck(folder);
    expect(dataset.parts.map(({ path: file }) => path.basename(file))).toEqual(['sft.jsonl']);
    expect(passedOver).toHaveLength(3);
  });

  test('without dataset files is refused, as is a path that leads nowhere', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'readme.md'), 'x');
    await expect(rowFilesAt(folder, 'all')).rejects.toThrow(`${folder}: the folder holds no file of rows`);
    await expect(rowFilesAt('nowhere', 'all')).rejects.toThrow('nowhere: there is no such file');
  });
});
