import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { readerTable } from '../../../output/readers/readerTable.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const folder = path.join(sharedFolder(), 'dataset');
let qwen: Tokenizer;
let manifest: Manifest;
beforeAll(async () => {
  qwen = await loadTokenizer('qwen2.5');
  const dataset = datasetConfigSchema.parse({
    formats: [...datasetFormatNames],
    validation_share: 0.5,
    shard_mb: 0.02,
    cutoff_len: 20_001,
  });
  const rows = fc.sample(trajectoryArbitrary(), { numRuns: 16, seed: 12 });
  manifest = await writeDataset(rows, writerOptions(folder, qwen, { dataset }));
});
afterAll(() => qwen.close());

const readme = (format: string) => readFileSync(path.join(folder, format, 'README.md'), 'utf8');

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
  for (const reader of Object.values(readerTable)) {
    expect(locks).toContain(`\n${reader.package.replace('-', '_')}==${reader.version}\n`);
  }
  const program = readFileSync(path.join(folder, 'hugging_face_dpo/train_dpo.py'), 'utf8');
  expect(program).toContain(`it was tested with ${readerTable.trl.version}`);
});

test('the dataset card links to each README, and names the splits of the formats of JSON', () => {
  const card = readFileSync(path.join(folder, 'README.md'), 'utf8');
  for (const format of datasetFormatNames) expect(card).toContain(`[\`${format}/\`](${format}/README.md)`);
  expect(card).toContain(
    `${manifest.splits.train} rows are for training, ${manifest.splits.validation} for validation`,
  );
  expect(card).toMatch(
    /config_name: llama_factory\n\s+data_files:\n\s+- split: train\n[\s\S]*- split: validation/,
  );
});
