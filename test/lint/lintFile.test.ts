import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Table as ArrowTable, tableToIPC, vectorFromArray } from 'apache-arrow';
import { Table as ParquetTable, writeParquet } from 'parquet-wasm';
import { describe, expect, test } from 'vitest';
import { rowFilesAtAll } from '../../base/rows/rowFilesAt.ts';
import { lintFile } from '../../output/lint/lintFile.ts';
import { type LintOptions, rowLinter } from '../../output/lint/lintRows.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { collected } from './collected.ts';
import { alpacaRow, cleanText, spoiltText } from './datasetRows.ts';
import { lintOptions } from './lintOptions.ts';

async function lint(file: string, content: string | Uint8Array, other: Partial<LintOptions> = {}) {
  const full = path.join(temporaryFolder(), file);
  writeFileSync(full, content);
  const [found] = await rowFilesAtAll([full]);
  const rows = await collected(lintFile(found!, rowLinter({ ...lintOptions, ...other })));
  return { full, rows, findings: rows.flatMap((row) => row.findings) };
}

const segments = (text: string) =>
  text
    .split(/(?<=>\n+)(?=<)/)
    .map((piece, at) => ({ tag: 'think', origin: 'model', text: piece, event: `event-${at}` }));

function parquet(texts: readonly string[]): Uint8Array {
  const table = new ArrowTable({
    instruction: vectorFromArray(texts.map(() => 'Answer.')),
    input: vectorFromArray(texts.map(() => 'Question: which river?')),
    output: vectorFromArray([...texts]),
  });
  return writeParquet(ParquetTable.fromIPCStream(tableToIPC(table, 'stream')));
}

test('what breaks the linter names the file and the row', async () => {
  const row = (text: string) => `${JSON.stringify(alpacaRow(text))}\n`;
  const breaks = async (_: unknown, text: string) => {
    if (text === spoiltText) throw new Error('broken');
    return [];
  };
  const broken = lint('rows.jsonl', row(cleanText) + row(spoiltText), {
    lintText: breaks,
  });
  await expect(broken).rejects.toThrow(/rows\.jsonl: row 2: broken$/);
});

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
    const { full, rows, findings } = await lint(file, content());
    expect(rows.map((row) => row.findings.length > 0)).toEqual([false, true]);
    expect(rows.map((row) => row.profile?.name)).toEqual(['mhqa', 'mhqa']);
    expect(findings).toContainEqual({
      file: full,
      row: 2,
      file_line: line,
      line: 4,
      column: 34,
      offset: spoiltText.indexOf('<observation>'),
      rule: 'afm_bracket_before_tag',
      severity: 'error',
      profile: 'mhqa',
      message: expect.stringContaining('">" right before <observation>'),
    });
  });

  test('says where a profile comes from: the user, the row, or a guess', async () => {
    const alpaca = JSON.stringify(alpacaRow(cleanText));
    expect((await lint('a.jsonl', alpaca)).rows[0]?.profile).toEqual({ name: 'mhqa', guessed: true });
    const web = { profile: builtinProfile('web') };
    expect((await lint('a.jsonl', alpaca, web)).rows[0]?.profile).toEqual({ name: 'web', guessed: false });
    const own = JSON.stringify({ profile: 'mhqa', segments: segments(cleanText) });
    expect((await lint('t.jsonl', own)).rows[0]?.profile).toEqual({ name: 'mhqa', guessed: false });
  });

  test('keeps going at rows that are broken or of another layout', async () => {
    const good = JSON.stringify(alpacaRow(cleanText));
    const { rows } = await lint('a.jsonl', `${good}\n{"instruction": \n{"text": "x"}\n[1]\n${good}\n`);
    expect(rows.map((row) => row.findings.map((finding) => [finding.rule, finding.file_line]))).toEqual([
      [],
      [['broken_row', 2]],
      [['unknown_row', 3]],
      [['unknown_row', 4]],
      [],
    ]);
  });

  test.each([
    ['no.json', '[]', 'holds no rows'],
    ['other.json', '[{"question": "x"}]', 'row 1 has none of the known layouts'],
    ['cut.json', `[${JSON.stringify(alpacaRow(cleanText))},{"instr`, 'ends in the middle of row 2'],
    ['bad.parquet', 'PAR1 and no footer', 'not a readable parquet file'],
  ])('%s is refused', async (file, content, words) => {
    await expect(lint(file, content)).rejects.toThrow(words);
  });
});

describe('a folder', () => {
  test('stands for the dataset files in it, in order, at any depth', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'sub'));
    for (const name of ['b.json', 'a.JSONL', 'sub/c.parquet', 'readme.md', 'x.arrow']) {
      writeFileSync(path.join(folder, name), '{}');
    }
    const found = await rowFilesAtAll([folder]);
    expect(found.map((file) => path.relative(folder, file.path))).toEqual([
      'a.JSONL',
      'b.json',
      'sub/c.parquet',
      'x.arrow',
    ]);
    expect(found.every((file) => !file.isNamed && file.size === 2)).toBe(true);
  });

  test('passes over files that hold no trajectories', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'dataset_info.json'), '{\n  "train": {}\n}\n');
    writeFileSync(path.join(folder, 'empty.json'), '');
    writeFileSync(path.join(folder, 'tasks.jsonl'), '{"question": "x"}\n');
    writeFileSync(path.join(folder, 'torn.jsonl'), '{"question"');
    for (const file of await rowFilesAtAll([folder])) {
      expect(await collected(lintFile(file, rowLinter(lintOptions)))).toEqual([]);
    }
  });

  test('without dataset files is refused, as is a path that leads nowhere', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'readme.md'), 'x');
    await expect(rowFilesAtAll([folder])).rejects.toThrow(`${folder}: the folder holds no file of rows`);
    await expect(rowFilesAtAll(['nowhere'])).rejects.toThrow('nowhere: there is no such file');
  });
});
