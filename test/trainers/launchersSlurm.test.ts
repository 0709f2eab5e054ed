import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  consoleOf,
  expectFailed,
  expectStopped,
  expectWorkers,
  type ScheduledProject,
  shellJob,
  stateOf,
  untilState,
} from './support/schedulerJobs.ts';
import { type SlurmCluster, startSlurmCluster } from './support/slurmCluster.ts';
import {
  createTrainingProject,
  curveOf,
  jobFolder,
  jobRecord,
  ofTrainer,
  startIn,
  type TrainingProject,
  trainArguments,
  trainerEnvironment,
} from './support/trainJob.ts';

const folder = sharedFolder();
const viaSlurm = ['--launcher', 'slurm'];
let project: TrainingProject;
let cluster: SlurmCluster;

beforeAll(async () => {
  cluster = await startSlurmCluster();
  project = await createTrainingProject(folder, 4);
});
afterAll(() => cluster?.stop());

const cli = (...args: string[]): Promise<CliResult> =>
  runCli(args, { cwd: folder, env: { ...trainerEnvironment(project, 'llamafactory'), ...cluster.env } });
const scheduled = (): ScheduledProject => ({ project, launcher: viaSlurm, cli });
const numberOf = (job: string): string => String(jobRecord(project, job).attempts.at(-1)!.handle.job_id);

test('LLaMA-Factory is queued, followed, requeued in the middle, goes on from its checkpoint, and finishes', async () => {
  const blocker = (
    await cluster.run('sbatch', '--parsable', '--output=/dev/null', '--wrap=sleep 600')
  ).trim();
  const set = ['max_steps=4', 'save_steps=2', 'disable_gradient_checkpointing=true', 'plot_loss=false'];
  const args = trainArguments(project, 'real', { set, args: viaSlurm });
  const { child, ended } = startIn(project, args, 'llamafactory', { env: cluster.env });
  const record = path.join(jobFolder(project, 'real'), 'job.json');
  const queued = await waitUntil('job.json', () => existsSync(record), ofTrainer(child))
    .then(() => cli('train', 'status', 't/real'))
    .finally(() => cluster.run('scancel', blocker));

  const checkpoint = path.join(jobFolder(project, 'real'), 'output/checkpoint-2/trainer_state.json');
  await waitUntil('the checkpoint', () => existsSync(checkpoint), ofTrainer(child));
  await cluster.run('scontrol', 'requeue', numberOf('real'));
  await untilState(scheduled(), 'real', 'queued');
  // Not at once: slurmd refuses a job's new credential in the very second in which it revoked the old one.
  await cluster.run('scontrol', 'update', `jobid=${numberOf('real')}`, 'starttime=now+3');
  const result = await ended;

  expect(queued.stdout).toMatch(/^t\/real queued: (Resources|Priority|pending) · queued\n/);
  expect(result.code, `${result.stdout}${result.stderr}\n${consoleOf(scheduled(), 'real')}`).toBe(0);
  expect(result.stdout).toContain('t/real: finished');
  expect(result.stderr).toMatch(/t\/real step [1-4]\/4 · loss/);
  expect(consoleOf(scheduled(), 'real')).toContain('CANCELLED AT');
  expect(consoleOf(scheduled(), 'real')).toMatch(/[Rr]esum|checkpoint-2/);
  const { steps } = await curveOf(project, 'real');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  expect(jobRecord(project, 'real').attempts).toHaveLength(1);
});

test('stop ends a job on the cluster with its processes; it goes on as a new Slurm job', () =>
  expectStopped(scheduled()));

test('a job that fails or is cancelled by hand shows it', async () => {
  await expectFailed(scheduled());
  await cli(...shellJob(scheduled(), 'cancelled', 'sleep 600'));
  await untilState(scheduled(), 'cancelled', 'running');
  await cluster.run('scancel', numberOf('cancelled'));
  await untilState(scheduled(), 'cancelled', 'ended');
  expect(await stateOf(scheduled(), 'cancelled')).toMatchObject({
    end: { outcome: 'failed', last_words: expect.stringContaining('Slurm: the job ended as CANCELLED') },
  });
});

test('what sbatch refuses is shown in its own words, and the job can be started after all', async () => {
  const config = path.join(folder, 'partition.yaml');
  writeFileSync(
    config,
    `${readFileSync(path.join(folder, 'coa.yaml'), 'utf8')}training: { slurm: { partition: nowhere } }\n`,
  );
  const args = shellJob(scheduled(), 'refused', 'exit 1');
  const refused = await cli(...args, '--config', config);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/sbatch refused the job: .*partition/i),
  });
  expect((await cli(...args)).code).toBe(0);
});

test('jobs of Slurm work on a run', () => expectWorkers(viaSlurm, cluster.env));
