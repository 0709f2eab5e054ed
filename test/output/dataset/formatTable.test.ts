import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRows } from '../../../output/check/datasetFiles.ts';
import { datasetReaders } from '../../../output/dataset/datasetReaders.ts';
import { pairsFormat, trajectoriesFormat } from '../../../output/dataset/formats/canonicalFormats.ts';
import { formatTable } from '../../../output/dataset/formatTable.ts';
import { defaultFormatNames } from '../../../schemas/config/dataset.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';
import { trainerTable } from '../../../training/trainers/trainerTable.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(sharedFolder(), 'dataset');
const dataset = { formats: datasetFormatNames, validation_share: 0.5, shard_mb: 0.02, cutoff_len: 20_001 };
const rows = fc.sample(trajectoryArbitrary(), { numRuns: 6, seed: 12 });
const manifest = await writeDataset(rows, writerOptions(folder, { dataset }));

const contentOf = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const readme = (format: string) => contentOf(`${format}/README.md`);

test('every row stands under its own name', () => {
  expect(Object.values(formatTable).map(({ name }) => name)).toEqual(datasetFormatNames);
  expect(defaultFormatNames.every((name) => datasetFormatNames.includes(name))).toBe(true);
});

test.each([trajectoriesFormat, pairsFormat, ...Object.values(formatTable)])(
  'the rows of $name have the columns that its row of the table says',
  async ({ name, columns }) => {
    const own = new RegExp(`^${name}[./-]`);
    const files = manifest.files.filter((file) => file.rows !== null && own.test(file.path));
    expect(files).not.toEqual([]);
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
    for (const reader of Object.keys(datasetReaders)) {
      expect(Object.values(formatTable).some(({ readers }) => readers.some((name) => name === reader))).toBe(
        true,
      );
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
  const page = readFileSync(path.join(repository, 'docs/formats.md'), 'utf8');
  for (const { name, columns } of Object.values(formatTable)) {
    const lines = page
      .split('\n')
      .filter((line) => line.startsWith(`| \`${name}/`))
      .join('\n');
    expect(lines, name).not.toBe('');
    for (const column of columns) if (name !== 'llama_factory') expect(lines).toContain(`\`${column}\``);
  }
});

describe.each(datasetFormatNames)('the README of %s', (format) => {
  test('lists every file of its folder, and no other', () => {
    const [table = ''] = readme(format).split('## Who applies the mask');
    const listed = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => `${format}/${name}`);
    const there = manifest.files.map((file) => file.path).filter((file) => file.startsWith(`${format}/`));
    const described = there.filter((file) => !/README\.md|tokenized\/.*\.json$/.test(file));
    expect(listed.filter((file) => existsSync(path.join(folder, file)))).toEqual(listed);
    expect(described.filter((file) => !listed.includes(file))).toEqual([]);
  });

  test('names tests that are there, or none', () => {
    for (const [file] of readme(format).matchAll(/test\/[\w/.-]+\.(?:ts|py|txt)/g))
      expect(existsSync(path.join(repository, file)), file).toBe(true);
  });

  test('says who applies the mask, how that was verified, and how training is started', () => {
    expect(readme(format)).toMatch(
      /## Who applies the mask\n\n\S[\s\S]*How this was verified: \S[\s\S]*## Start\n\n\S/,
    );
  });
});

test('the versions that READMEs name are those that the tests install', () => {
  const lock = (name: string) =>
    readFileSync(path.join(repository, 'test/trainers/requirements', name), 'utf8');
  const locks = lock('llamafactory.txt') + lock('trainers.txt');
  for (const reader of Object.values(datasetReaders)) {
    expect(locks).toContain(`\n${reader.package.replace('-', '_')}==${reader.version}\n`);
  }
  expect(contentOf('hugging_face_dpo/train_dpo.py')).toContain(
    `it was tested with ${datasetReaders.trl.version}`,
  );
});

test('the dataset card links to each README, and names the splits of the formats of JSON', () => {
  const card = contentOf('README.md');
  for (const format of datasetFormatNames) expect(card).toContain(`[\`${format}/\`](${format}/README.md)`);
  expect(card).toContain(
    `${manifest.splits.train} rows are for training, ${manifest.splits.validation} for validation`,
  );
  expect(card).toMatch(
    /config_name: llama_factory\n\s+data_files:\n\s+- split: train\n[\s\S]*- split: validation/,
  );
});
