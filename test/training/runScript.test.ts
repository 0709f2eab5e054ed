import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { trainingConfigSchema } from '../../schemas/config/training.ts';
import { installPrograms } from './support/installPrograms.ts';
import { plannedJob } from './support/plannedJob.ts';

/** A job's folder whose `run.sh` starts a program that prints its arguments and the environment. */
function scriptFolder(section: z.input<typeof trainingConfigSchema>): string {
  const folder = installPrograms({ python: 'echo "$@"; env' });
  const python = join(folder, 'python');
  writeFileSync(join(folder, 'run.sh'), plannedJob({ python, ...section }).file('run.sh'));
  return folder;
}

function run(folder: string, env: Record<string, string> = {}): string {
  const options = { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('bash', [join(folder, 'run.sh')], options);
}

/** Writes files, and the folders around them. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

test('a torn checkpoint of LLaMA-Factory is set aside before the start, whole ones stay', () => {
  const folder = scriptFolder({});
  write(folder, {
    'output/checkpoint-3/trainer_state.json': '{}',
    'output/checkpoint-6/model.safetensors': 'cut o',
  });
  run(folder);
  const [whole, torn, ...others] = readdirSync(join(folder, 'output')).sort();
  expect(whole).toBe('checkpoint-3');
  expect(torn).toMatch(/^torn-checkpoint-6-\d+$/);
  expect(others).toEqual([]);
  expect(readFileSync(join(folder, 'output', torn!, 'model.safetensors'), 'utf8')).toBe('cut o');
});

test('verl’s log of earlier starts is kept, a line that was cut off too', () => {
  const folder = scriptFolder({ trainer: 'verl' });
  expect(run(folder)).toContain(`VERL_FILE_LOGGER_PATH=${folder}/metrics.jsonl`);
  for (const text of ['{"step":1}\n{"st', '{"step":2}\n']) {
    write(folder, { 'metrics.jsonl': text });
    run(folder);
    expect(existsSync(join(folder, 'metrics.jsonl'))).toBe(false);
  }
  expect(readFileSync(join(folder, 'metrics-earlier.jsonl'), 'utf8')).toBe('{"step":1}\n{"st\n{"step":2}\n');
});

test.each([
  [13, ['data_0.pt', 'data_1.pt']],
  [14, ['data_0.pt.epoch_end', 'data_1.pt.epoch_end']],
])('verl’s loader that was saved at step %s, 7 an epoch, is put away at an epoch’s end', (step, files) => {
  // 7 steps of 8 x 1 x 16 rows.
  expect(plannedJob({ trainer: 'verl' }).plan.steps.per_epoch).toBe(7);
  const folder = scriptFolder({ trainer: 'verl' });
  const saved = `checkpoints/global_step_${step}`;
  write(folder, {
    'checkpoints/latest_checkpointed_iteration.txt': String(step),
    [`${saved}/data_0.pt`]: '',
    [`${saved}/data_1.pt`]: '',
  });
  run(folder);
  expect(readdirSync(join(folder, saved)).sort()).toEqual(files);
});

test.each([
  ['another machine was faster', 'rm -- "$1"', /-m verl\.trainer\.sft_trainer/],
  ['it can’t be moved', 'true', /data_0\.pt can't be moved/],
])('verl’s loader is put away by one machine of several: %s', (_, before, says) => {
  const folder = scriptFolder({ trainer: 'verl', launcher: 'torchrun', nodes: 2 });
  write(folder, {
    'checkpoints/latest_checkpointed_iteration.txt': '3',
    'checkpoints/global_step_3/data_0.pt': '',
  });
  const bin = installPrograms({
    mv: `case "$1" in *data_0.pt) ${before}; exit 1;; esac\nexec /bin/mv "$@"`,
  });
  const { stdout, stderr } = spawnSync('bash', [join(folder, 'run.sh')], {
    env: { PATH: `${bin}:${process.env.PATH}`, RDZV_ENDPOINT: 'first:1' },
    encoding: 'utf8',
  });
  expect(stdout + stderr).toMatch(says);
});

test('several machines need a place to meet, from the environment', () => {
  const section = { launcher: 'torchrun', nodes: 2 } as const;
  expect(() => run(scriptFolder(section))).toThrow(/RDZV_ENDPOINT: set it to HOST:PORT/);
  const given = run(scriptFolder(section), { RDZV_ENDPOINT: 'first:1234', RDZV_ID: 'a' });
  expect(given).toContain(
    '--nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=a --rdzv-endpoint=first:1234 -m llamafactory.launcher train.yaml',
  );
});

test('what is printed is kept where it is asked for', () => {
  const folder = scriptFolder({ gpus_per_node: 0 });
  for (const _ of [1, 2])
    expect(run(folder, { CONSOLE_FILE: 'console.log' })).toContain('-m llamafactory.launcher train.yaml');
  expect(readFileSync(join(folder, 'console.log'), 'utf8').match(/train\.yaml/g)).toHaveLength(2);
});
