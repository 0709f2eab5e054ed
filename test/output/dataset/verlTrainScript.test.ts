import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import type { RowsFile } from '../../../output/dataset/datasetFormat.ts';
import { verlTrainScript } from '../../../output/dataset/formats/verlFiles.ts';
import { trainingConfigSchema } from '../../../schemas/config/training.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const counts = { sha256: '', bytes: 1, tokens: 1, trained_tokens: 1 };
const train = (rows: number, name = 'sft.parquet'): RowsFile => ({
  ...counts,
  path: `verl/${name}`,
  split: 'train',
  rows,
});
const validation: RowsFile = { ...counts, path: 'verl/validation.parquet', split: 'validation', rows: 3 };

interface Started {
  readonly code: number | null;
  readonly args: readonly string[];
  readonly stderr: string;
}

/** Runs the script with a `torchrun` that only says what it was given; without `GPUS`, `nvidia-smi` finds none. */
function start(script: string, args: readonly string[], gpus: number | null): Started {
  const folder = path.join(temporaryFolder(), "it's a $(touch hacked) folder");
  mkdirSync(path.join(folder, 'bin'), { recursive: true });
  const torchrun = path.join(folder, 'bin/torchrun');
  writeFileSync(torchrun, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(torchrun, 0o755);
  const nvidiaSmi = path.join(folder, 'bin/nvidia-smi');
  writeFileSync(nvidiaSmi, '#!/bin/sh\necho "No devices found."\nexit 6\n');
  chmodSync(nvidiaSmi, 0o755);
  writeFileSync(path.join(folder, 'train.sh'), script);
  const { status, stdout, stderr } = spawnSync('bash', [path.join(folder, 'train.sh'), ...args], {
    env: {
      PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
      ...(gpus === null ? {} : { GPUS: String(gpus) }),
    },
    encoding: 'utf8',
  });
  return { code: status, args: stdout.split('\n').slice(0, -1), stderr };
}

function script(files: readonly RowsFile[], training: object = {}, name = 'quickstart'): string {
  const settings = { name, training: trainingConfigSchema.parse(training), dataset: { cutoff_len: 4_096 } };
  return verlTrainScript(settings, { files });
}

test('verl is started on the files of the folder, and refuses to cut', () => {
  const { code, args } = start(script([train(700)]), [], 4);
  expect(code).toBe(0);
  expect(args).toEqual(
    expect.arrayContaining([
      '--nproc-per-node=4',
      'data.train_files=["sft.parquet"]',
      'data.val_files=null',
      'data.train_batch_size=64',
      'data.max_length=4096',
      'data.truncation=error',
      'data.pad_mode=no_padding',
      'data.custom_cls.path=coa_dataset.py',
    ]),
  );
});

test('shards and validation rows are named too, and further keys come last', () => {
  const files = [
    train(400, 'sft-00000-of-00002.parquet'),
    train(300, 'sft-00001-of-00002.parquet'),
    validation,
  ];
  const { args, stderr } = start(script(files), ['model.path=/m odels/$x', 'trainer.total_epochs=1'], 1);
  expect(args).toContain('data.train_files=["sft-00000-of-00002.parquet","sft-00001-of-00002.parquet"]');
  expect(args).toContain('data.val_files=["validation.parquet"]');
  expect(args.slice(-2)).toEqual(['model.path=/m odels/$x', 'trainer.total_epochs=1']);
  expect(stderr).toContain('3 validation rows fill no batch of 16');
});

test('a step takes no more rows than there are', () => {
  const few = start(script([train(10)]), [], 4);
  expect([few.code, few.args.find((arg) => arg.startsWith('data.train_batch_size'))]).toEqual([
    0,
    'data.train_batch_size=8',
  ]);
  const none = start(script([train(3)]), [], 4);
  expect([none.code, none.args]).toEqual([1, []]);
  expect(none.stderr).toContain('3 rows are too few for 4 GPUs');
});

test('without a GPU it says so', () => {
  const none = start(script([train(700)]), [], 0);
  expect([none.code, none.args]).toEqual([1, []]);
  expect(none.stderr).toContain('no GPU was found; set GPUS to how many to use');
  const unknown = start(script([train(700)]), [], null);
  expect([unknown.code, unknown.stderr]).toEqual([1, none.stderr]);
});

test('names reach verl as they are, and no shell runs what is in them', () => {
  const model = `/it's "a" \\ model; touch hacked $(touch hacked)`;
  const { args } = start(script([train(700)], { model }, 'null'), [], 1);
  expect(args).toContain('trainer.experiment_name="null"');
  expect(args).toContain(`model.path="/it's \\"a\\" \\ model; touch hacked $(touch hacked)"`);
  expect(() => script([train(700)], { model: '$' + '{oc.env:HOME}' })).toThrow(UserError);
});
