import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { trainingConfigSchema } from '../../schemas/config/training.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { freePorts } from '../support/freePorts.ts';
import { pythonScript } from './support/runPython.ts';
import { shortRows } from './support/shortRows.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { writePlannedJob } from './support/writePlannedJob.ts';
import { writeRows } from './support/writeRows.ts';

/** A folder's name that breaks whatever is not quoted. */
const run = path.join(sharedFolder(), `it's "a" $(touch pwned) \`run\`; #1 & ä, {x: [1]}=2`);
const model = path.join(run, 'my model');
const venv = (name: string) => path.resolve(import.meta.dirname, `../../.venv-${name}/bin/python`);
let manifest: Manifest;

beforeAll(async () => {
  await mkdir(run);
  await writeModelFolder(model);
  const rows = await shortRows(1);
  const trajectories = rows.map((row) => row.trajectory);
  ({ manifest } = await writeRows(path.join(run, 'dataset'), trajectories, ['verl'], { cutoff_len: 2000 }));
});

/** Writes a job as `coa-distill train --render-only` does. */
async function writeJob(job: string, training: z.input<typeof trainingConfigSchema>): Promise<TrainingPlan> {
  const section = { model, gradient_accumulation_steps: 2, ...training };
  return (await writePlannedJob(run, manifest, job, section)).plan;
}

/** Runs a job's script as a person would; returns what it printed. */
async function runByHand(job: string, env: Record<string, string> = {}): Promise<string> {
  const child = spawn('bash', [path.join(run, 'train', job, 'run.sh')], {
    cwd: path.dirname(run),
    env: {
      PATH: '/usr/bin:/bin',
      HOME: path.dirname(run),
      HF_HUB_OFFLINE: '1',
      CUDA_VISIBLE_DEVICES: '',
      OMP_NUM_THREADS: '2',
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`run.sh ended with ${code}:\n${`${stdout}\n${stderr}`.slice(-6_000)}`);
  return stdout + stderr;
}

async function logLines(job: string, file: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path.join(run, 'train', job, file), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** What makes LLaMA-Factory quicker on a CPU. */
const quick = { disable_gradient_checkpointing: true };

test('LLaMA-Factory takes the steps of the plan, and run.sh keeps what it prints', async () => {
  const plan = await writeJob('by-hand', {
    python: venv('llamafactory'),
    epochs: 2,
    set: quick,
  });
  await runByHand('by-hand', { CONSOLE_FILE: 'console.log' });
  const steps = (await logLines('by-hand', 'output/trainer_log.jsonl')).filter(
    ({ loss }) => loss !== undefined,
  );
  expect(steps.map((line) => line.current_steps)).toEqual(
    Array.from({ length: plan.steps.total }, (_, step) => step + 1),
  );
  expect(new Set(steps.map((line) => line.total_steps))).toEqual(new Set([plan.steps.total]));
  const console_ = await readFile(path.join(run, 'train/by-hand/console.log'), 'utf8');
  expect(console_).toContain('***** train metrics *****');
  expect(existsSync(path.join(path.dirname(run), 'pwned'))).toBe(false);
});

test('two machines meet by rendezvous and share the steps', async () => {
  const plan = await writeJob('two', {
    python: venv('llamafactory'),
    launcher: 'torchrun',
    nodes: 2,
    max_steps: 2,
    set: { ...quick, save_only_model: true },
  });
  expect(plan.batch.rows_per_step).toBe(4);
  const [port] = await freePorts(1);
  const machines = { RDZV_ENDPOINT: `localhost:${port}` };
  await Promise.all([runByHand('two', machines), runByHand('two', machines)]);
  const steps = (await logLines('two', 'output/trainer_log.jsonl')).filter(({ loss }) => loss !== undefined);
  expect(steps.map((line) => line.current_steps)).toEqual([1, 2]);
  expect(steps[0]!.total_steps).toBe(plan.steps.total);
});

test('verl takes the steps of the plan, and saves a model that can be loaded', async () => {
  const plan = await writeJob('verl', { trainer: 'verl', python: venv('trainers'), epochs: 1 });
  expect(plan.steps.rows_left_out).toBe(plan.dataset.rows % 2);
  const plugIn = {
    PYTHONPATH: pythonScript(''),
    VERL_USE_EXTERNAL_MODULES: 'verl_cpu_platform',
    VERL_PLATFORM: 'cpu',
    VERL_ENGINE_DEVICE: 'cuda',
  };
  await runByHand('verl', plugIn);
  const steps = await logLines('verl', 'metrics.jsonl');
  expect(steps.map(({ step }) => step)).toEqual(
    Array.from({ length: plan.steps.total }, (_, step) => step + 1),
  );
  expect(
    existsSync(path.join(run, `train/verl/checkpoints/global_step_${plan.steps.total}/huggingface`)),
  ).toBe(true);
});
