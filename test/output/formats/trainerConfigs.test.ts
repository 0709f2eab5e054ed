import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { DatasetFormat, WrittenFormat } from '../../../output/dataset/datasetFormat.ts';
import { axolotlFormat } from '../../../output/dataset/formats/axolotlFormat.ts';
import { huggingFaceFormat } from '../../../output/dataset/formats/huggingFaceFormat.ts';
import { msSwiftFormat } from '../../../output/dataset/formats/msSwiftFormat.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../../../schemas/config/training.ts';

const settings = {
  name: 'sample',
  dataset: datasetConfigSchema.parse({ cutoff_len: 4_000 }),
  training: trainingConfigSchema.parse({ model: 'a/model', learning_rate: 1e-7 }),
  tokenizer: 'qwen2.5',
};

function file(path: string, split: 'train' | 'validation', sha256 = 'a'): WrittenFormat['files'][number] {
  return { path, split, sha256, bytes: 1, rows: 1, tokens: 2, trained_tokens: 1 };
}

function configOf(entry: DatasetFormat, path: string, files: WrittenFormat['files']) {
  const hasValidation = files.some(({ split }) => split === 'validation');
  const beside = entry.layoutOf(settings).guide!({ files, hasValidation }).files;
  return parse(beside.find((companion) => companion.path === path)!.text, { version: '1.1' });
}

const axolotlFiles = [
  file('axolotl/segments/train-00000-of-00002.jsonl', 'train'),
  file('axolotl/segments/train-00001-of-00002.jsonl', 'train'),
  file('axolotl/segments/validation.jsonl', 'validation'),
  file('axolotl/tokens/train.parquet', 'train'),
  file('axolotl/tokens/validation.parquet', 'validation'),
];

test('Axolotl is told of every file, and never to drop or cut a row', () => {
  const config = configOf(axolotlFormat, 'axolotl/segments.yaml', axolotlFiles);
  expect(config).toMatchObject({
    base_model: 'a/model',
    learning_rate: 1e-7,
    sequence_len: 4_000,
    excess_length_strategy: 'raise',
    datasets: ['train-00000-of-00002', 'train-00001-of-00002'].map((name) => ({
      path: `segments/${name}.jsonl`,
      ds_type: 'json',
      type: 'input_output',
    })),
    test_datasets: [
      { path: 'segments/validation.jsonl', ds_type: 'json', type: 'input_output', split: 'train' },
    ],
  });
  expect(configOf(axolotlFormat, 'axolotl/tokens.yaml', axolotlFiles)).toMatchObject({
    datasets: [{ path: 'tokens/train.parquet', ds_type: 'parquet', type: null }],
  });
});

test('Axolotl prepares other data in another folder', () => {
  const folderOf = (files: WrittenFormat['files']) =>
    configOf(axolotlFormat, 'axolotl/tokens.yaml', files).dataset_prepared_path;
  const [first, ...others] = axolotlFiles;
  expect(folderOf(axolotlFiles)).toBe(folderOf([...axolotlFiles]));
  expect(folderOf([{ ...first!, sha256: 'b' }, ...others])).not.toBe(folderOf(axolotlFiles));
});

test('ms-swift is told of every file, its template, and never to leave out or cut a row', () => {
  const files = [
    file('ms_swift/train-00000-of-00002.jsonl', 'train'),
    file('ms_swift/train-00001-of-00002.jsonl', 'train'),
    file('ms_swift/validation.jsonl', 'validation'),
  ];
  expect(configOf(msSwiftFormat, 'ms_swift/sft.yaml', files)).toMatchObject({
    model: 'a/model',
    template: 'qwen2_5',
    dataset: ['train-00000-of-00002.jsonl', 'train-00001-of-00002.jsonl'],
    val_dataset: ['validation.jsonl'],
    split_dataset_ratio: 0,
    max_length: 4_000,
    strict: true,
  });
});

test('ms-swift is refused without a system prompt', () => {
  const dataset = { ...settings.dataset, system_prompt: '' };
  expect(() => msSwiftFormat.layoutOf({ ...settings, dataset })).toThrow('dataset.system_prompt');
});

test('TRL never cuts a row', () => {
  const path = 'hugging_face/sft.yaml';
  const train = file('hugging_face/data/train.parquet', 'train');
  const config = configOf(huggingFaceFormat, path, [train]);
  expect(config).toMatchObject({ dataset_name: 'data', max_length: null });
  expect(config).not.toHaveProperty('eval_strategy');
  const validation = file('hugging_face/data/validation.parquet', 'validation');
  expect(configOf(huggingFaceFormat, path, [train, validation])).toMatchObject({
    dataset_test_split: 'validation',
    eval_strategy: 'epoch',
  });
});
