import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderTrainingJob } from '../../output/training/renderTrainingJob.ts';
import { datasetConfigSchema, trainingConfigSchema } from '../../schemas/config/dataset.ts';
import { fullReport } from './support/reportSample.ts';

function job(training: object = {}) {
  const files = renderTrainingJob({
    manifest: fullReport.manifest!,
    training: trainingConfigSchema.parse(training),
    dataset: datasetConfigSchema.parse({}),
    name: 'quickstart',
  });
  return new Map(files.map((file) => [file.path, file.text]));
}

test('the default is AFM’s web 7B run on the tokens', () => {
  const files = job();
  expect([...files.keys()]).toEqual([
    'train.yaml',
    'train-text.yaml',
    'deepspeed-zero3.json',
    'run.sh',
    'README.txt',
  ]);
  expect(parse(files.get('train.yaml')!, { version: '1.1' })).toMatchObject({
    model_name_or_path: 'Qwen/Qwen2.5-7B-Instruct',
    finetuning_type: 'full',
    deepspeed: 'deepspeed-zero3.json',
    tokenized_path: '../../dataset/tokenized',
    dataset: 'unused',
    cutoff_len: 32_768,
    learning_rate: 1.4e-5,
    warmup_ratio: 0.1,
    num_train_epochs: 4,
    per_device_train_batch_size: 1,
    gradient_accumulation_steps: 16,
    bf16: true,
  });
  expect(JSON.parse(files.get('deepspeed-zero3.json')!).zero_optimization.stage).toBe(3);
});

test('the text form differs only in where the rows come from', () => {
  const files = job();
  const { tokenized_path, dataset, ...tokens } = parse(files.get('train.yaml')!);
  const { dataset_dir, dataset: name, ...text } = parse(files.get('train-text.yaml')!);
  expect(text).toEqual(tokens);
  expect([tokenized_path, dataset]).toEqual(['../../dataset/tokenized', 'unused']);
  expect([dataset_dir, name]).toEqual(['../../dataset/llama_factory', 'quickstart']);
});

test('values can’t break out of the configuration', () => {
  const model = 'a: b # c\n"d"\ndo_train: false';
  const config = parse(job({ model }).get('train.yaml')!);
  expect(config).toMatchObject({ model_name_or_path: model, do_train: true });
});

test('the script is valid bash and starts the configuration it is given', () => {
  const script = job().get('run.sh')!;
  execFileSync('bash', ['-n'], { input: script });
  expect(script).toMatch(/llamafactory-cli train "\$config"/);
});
