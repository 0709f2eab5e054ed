import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { CliResult } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { killAll } from '../support/signalAll.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  createTrainingProject,
  curveOf,
  jobFolder,
  jobProcesses,
  jobRecord,
  ofTrainer,
  startIn,
  type TrainingProject,
  trainArguments,
} from './support/trainJob.ts';

/** Five rows in batches of two: verl leaves one out, and takes two steps an epoch. */
const rows = 5;
const options = {
  environment: 'trainers',
  set: ['epochs=2', 'per_device_batch_size=2', 'learning_rate=1e-3'],
} as const;
const folder = sharedFolder();
let project: TrainingProject;
let undisturbed: CliResult;

beforeAll(async () => {
  project = await createTrainingProject(folder, rows);
  undisturbed = await startIn(project, trainArguments(project, 'whole', options), 'trainers').ended;
});

test('verl’s SFT trainer is started, followed and finished, with the steps of the plan; its loss falls', async () => {
  expect(undisturbed.code, undisturbed.stderr + undisturbed.stdout).toBe(0);
  expect(undisturbed.stderr).toMatch(/t\/whole step [1-4]\/4 · loss/);
  const { plan, versions } = jobRecord(project, 'whole');
  expect(plan.steps).toEqual({ per_epoch: 2, total: 4, rows_left_out: 1 });
  expect(versions.verl).toBe('0.9.1');
  const { steps } = await curveOf(project, 'whole');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  expect(steps.at(-1)!.loss!).toBeLessThan(steps[0]!.loss!);
});

test('killed after an epoch’s last checkpoint, it goes on without losing an epoch, to the same losses', async () => {
  const launched = startIn(project, trainArguments(project, 'cut', options), 'trainers');
  const tracker = path.join(jobFolder(project, 'cut'), 'checkpoints/latest_checkpointed_iteration.txt');
  await waitUntil('a checkpoint', () => existsSync(tracker), ofTrainer(launched.child));
  launched.child.kill('SIGKILL');
  killAll(jobProcesses(project, 'cut'));
  await launched.ended;

  const resumed = await startIn(project, ['train', 'resume', 't/cut'], 'trainers').ended;
  expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0);
  expect(resumed.stderr).toContain('goes on from the checkpoint of step 2');
  expect(resumed.stderr).toContain('put aside: checkpoints/global_step_2/data_0.pt -> data_0.pt.epoch_end');
  const [whole, cut] = [await curveOf(project, 'whole'), await curveOf(project, 'cut')];
  expect(cut.steps).toEqual(whole.steps);
});
