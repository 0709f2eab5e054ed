import { expect, test } from 'vitest';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import {
  createTrainingProject,
  jobFolder,
  jobProcesses,
  jobRecord,
  trainArguments,
  trainerEnvironment,
} from './support/trainJob.ts';

const folder = sharedFolder();

test('two processes of torchrun on one CPU machine share the rows, train to the end, and are gone', async () => {
  const project = await createTrainingProject(folder, 4);
  const set = [
    'processes_per_node=2',
    'max_steps=2',
    'save_only_model=true',
    'disable_gradient_checkpointing=true',
    'plot_loss=false',
  ];
  const result = await runCli(trainArguments(project, 'two', { set, args: ['--launcher', 'torchrun'] }), {
    cwd: folder,
    env: trainerEnvironment(project, 'llamafactory'),
  });
  expect(result.code, result.stderr).toBe(0);
  expect(result.stdout).toContain('t/two: finished');
  const record = jobRecord(project, 'two');
  expect(record.plan.batch.rows_per_step).toBe(2);
  const { steps, total_steps } = await new TrainingLog(jobFolder(project, 'two'), record).read();
  // The trainer's own count: with one process two steps would be half an epoch.
  expect(total_steps).toBe(record.plan.steps.total);
  expect(steps.map(({ step }) => step)).toEqual([1, 2]);
  expect(steps.at(-1)!.loss!).toBeGreaterThan(0);
  expect(jobProcesses(project, 'two')).toEqual([]);
});
