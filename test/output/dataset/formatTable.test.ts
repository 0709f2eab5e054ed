import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { readRows } from '../../../output/audit/read/readRows.ts';
import { pairsFormat, trajectoriesFormat } from '../../../output/dataset/formats/canonicalFormats.ts';
import { formatTable } from '../../../output/dataset/formatTable.ts';
import { readerNames, readerTable } from '../../../output/readers/readerTable.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { datasetConfigSchema, defaultFormatNames } from '../../../schemas/config/dataset.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { trainerTable } from '../../../training/trainers/trainerTable.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const folder = path.join(sharedFolder(), 'dataset');
let qwen: Tokenizer;
let manifest: Manifest;
beforeAll(async () => {
  qwen = await loadTokenizer('qwen2.5');
  const dataset = datasetConfigSchema.parse({ formats: [...datasetFormatNames], cutoff_len: 20_001 });
  const rows = fc.sample(trajectoryArbitrary(), { numRuns: 4, seed: 12 });
  manifest = await writeDataset(rows, writerOptions(folder, qwen, { dataset }));
});
afterAll(() => qwen.close());

test('every row stands under its own name', () => {
  expect(Object.values(formatTable).map(({ name }) => name)).toEqual(datasetFormatNames);
  expect(Object.keys(readerTable)).toEqual(readerNames);
  expect(defaultFormatNames.every((name) => datasetFormatNames.includes(name))).toBe(true);
});

test.each([trajectoriesFormat, pairsFormat, ...Object.values(formatTable)])(
  'the rows of $name have the columns that its row of the table says',
  async ({ name, columns }) => {
    const isOf = (file: string) => file.startsWith(name in formatTable ? `${name}/` : `${name}.`);
    const files = manifest.files.filter((file) => file.rows !== null && isOf(file.path));
    const found = new Set<string>();
    for (const file of files) {
      for await (const row of readRows(path.join(folder, file.path))) {
        if ('problem' in row) throw new Error(`${file.path}: ${row.problem}`);
        for (const column of Object.keys(row.value as object)) found.add(column);
        break;
      }
    }
    // A canonical record has columns that not every one holds.
    const expected = columns.filter((column) => name !== 'trajectories' || found.has(column));
    expect([...found].sort()).toEqual(expected.sort());
  },
);

describe('a format and a trainer', () => {
  const ofMethod = (wanted: string) => Object.values(trainerTable).filter(({ method }) => method === wanted);

  test('know each other: every reader has a format, and every trainer reads the format of its row', () => {
    for (const reader of readerNames) {
      expect(Object.values(formatTable).some(({ readers }) => readers.includes(reader))).toBe(true);
    }
    // What is played has no mask that a reader could show.
    for (const { name, format } of ofMethod('sft')) expect(formatTable[format].readers).toContain(name);
  });

  test('that fine-tunes on finished texts get trajectories', () => {
    const sft = ofMethod('sft');
    expect(sft.map(({ format }) => formatTable[format].records)).toEqual(sft.map(() => 'trajectory'));
  });
});

test('the page of file formats names every format and its columns', () => {
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
  for (const { name, columns } of Object.values(formatTable)) {
    const lines = page
      .split('\n')
      .filter((line) => line.startsWith(`| \`${name}/`))
      .join('\n');
    expect(lines, name).not.toBe('');
    for (const column of columns) if (name !== 'llama_factory') expect(lines).toContain(`\`${column}\``);
  }
});
