import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { startPostgres } from '../support/startPostgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
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

const environment = () => ({ ...trainerEnvironment(project, 'llamafactory'), ...cluster.env });
const cli = (...args: string[]): Promise<CliResult> => runCli(args, { cwd: folder, env: environment() });
const start = (args: readonly string[]) => startIn(project, args, 'llamafactory', { env: cluster.env });
const consoleOf = (job: string): string => {
  const file = path.join(jobFolder(project, job), 'console.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const numberOf = (job: string): string => {
  const { handle } = jobRecord(project, job).attempts.at(-1)!;
  if (handle.kind !== 'slurm') throw new Error(`${job} is a ${handle.kind} job`);
  return String(handle.job_id);
};

/** A job whose `run.sh` starts a shell program in the trainer's place. */
function shellJob(job: string, program: string): string[] {
  const python = path.join(folder, `${job}-python`);
  writeFileSync(python, `#!/bin/bash\n${program}\n`);
  chmodSync(python, 0o755);
  const args = trainArguments(project, job, { args: [...viaSlurm, '--detach'] });
  return args.with(args.indexOf('--python') + 1, python);
}

async function stateOf(job: string): Promise<{ state: string; end: object | null }> {
  const status = await cli('train', 'status', `t/${job}`, '--json');
  if (status.code !== 0) throw new Error(status.stderr);
  return JSON.parse(status.stdout) as { state: string; end: object | null };
}

async function untilState(job: string, wanted: string): Promise<void> {
  await waitUntil(`${job} to be ${wanted}`, async () => (await stateOf(job)).state === wanted);
}

test('LLaMA-Factory is queued, followed, requeued in the middle, goes on from its checkpoint, and finishes', async () => {
  const blocker = (
    await cluster.run('sbatch', '--parsable', '--output=/dev/null', '--wrap=sleep 600')
  ).trim();
  const set = ['max_steps=4', 'save_steps=2', 'disable_gradient_checkpointing=true', 'plot_loss=false'];
  const { child, ended } = start(trainArguments(project, 'real', { set, args: viaSlurm }));
  const record = path.join(jobFolder(project, 'real'), 'job.json');
  const queued = await waitUntil('job.json', () => existsSync(record), ofTrainer(child))
    .then(() => cli('train', 'status', 't/real'))
    .finally(() => cluster.run('scancel', blocker));

  const checkpoint = path.join(jobFolder(project, 'real'), 'output/checkpoint-2/trainer_state.json');
  await waitUntil('the checkpoint', () => existsSync(checkpoint), ofTrainer(child));
  await cluster.run('scontrol', 'requeue', numberOf('real'));
  await untilState('real', 'queued');
  // Not at once: slurmd refuses a job's new credential in the very second in which it revoked the old one.
  await cluster.run('scontrol', 'update', `jobid=${numberOf('real')}`, 'starttime=now+3');
  const result = await ended;

  expect(queued.stdout).toMatch(/^t\/real queued: (Resources|Priority|pending) · queued\n/);
  expect(result.code, `${result.stdout}${result.stderr}\n${consoleOf('real')}`).toBe(0);
  expect(result.stdout).toContain('t/real: finished');
  expect(result.stderr).toMatch(/t\/real step [1-4]\/4 · loss/);
  expect(consoleOf('real')).toContain('CANCELLED AT');
  expect(consoleOf('real')).toMatch(/[Rr]esum|checkpoint-2/);
  const { steps } = await curveOf(project, 'real');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  expect(jobRecord(project, 'real').attempts).toHaveLength(1);
});

test('stop ends a job on the cluster with its processes; it goes on as a new Slurm job', async () => {
  const marker = path.join(folder, 'stopped-pids');
  const started = await cli(
    ...shellJob('stopped', `echo $$ >> '${marker}'; setsid sleep 600 & echo $! >> '${marker}'; wait`),
  );
  expect(started.code, started.stderr).toBe(0);
  await waitUntil(
    'both processes',
    () => existsSync(marker) && readFileSync(marker, 'utf8').split('\n').length >= 3,
  );
  expect((await stateOf('stopped')).state).toBe('running');
  const first = numberOf('stopped');
  const stopped = await cli('train', 'stop', 't/stopped');
  expect(stopped.stdout, stopped.stderr).toContain('t/stopped: stopped');
  const pids = readFileSync(marker, 'utf8').trim().split('\n');
  // Slurm calls a job ended some seconds before the last of its processes is gone.
  await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect((await cli('train', 'resume', 't/stopped', '--detach')).code).toBe(0);
  expect(numberOf('stopped')).not.toBe(first);
  await cli('train', 'stop', 't/stopped');
});

test('a job that fails or is cancelled by hand shows it', async () => {
  await cli(...shellJob('fails', 'echo "no such model" >&2; exit 7'));
  await untilState('fails', 'ended');
  expect(await stateOf('fails')).toMatchObject({
    end: { outcome: 'failed', exit_code: 7, last_words: expect.stringContaining('no such model') },
  });
  await cli(...shellJob('cancelled', 'sleep 600'));
  await untilState('cancelled', 'running');
  await cluster.run('scancel', numberOf('cancelled'));
  await untilState('cancelled', 'ended');
  expect(await stateOf('cancelled')).toMatchObject({
    end: { outcome: 'failed', last_words: expect.stringContaining('Slurm: the job ended as CANCELLED') },
  });
});

test('what sbatch refuses is shown in its own words, and the job can be started after all', async () => {
  const config = path.join(folder, 'partition.yaml');
  writeFileSync(
    config,
    `${readFileSync(path.join(folder, 'coa.yaml'), 'utf8')}training: { slurm: { partition: nowhere } }\n`,
  );
  const args = shellJob('refused', 'exit 1');
  const refused = await cli(...args, '--config', config);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/sbatch refused the job: .*partition/i),
  });
  expect((await cli(...args)).code).toBe(0);
});

test('jobs of Slurm work on a run', async () => {
  const postgres = startPostgres();
  onTestFinished(() => postgres.stop());
  const cwd = createProject({ folder: temporaryFolder() });
  const env = cluster.env;
  const started = await runCli(['workers', 'start', postgres.url, '--launcher', 'slurm', '--count', '2'], {
    cwd,
    env,
  });
  expect(started.code, started.stderr).toBe(0);
  const ended = await runCli(['run', '--workers', postgres.url], { cwd, env });
  expect(ended.code, ended.stderr).toBe(0);
  // The run may be over before the second job begins: then it waits for another one, or in the queue.
  const stopped = await runCli(['workers', 'stop', postgres.url, '--folder', 'workers'], { cwd, env });
  expect(stopped.stdout, stopped.stderr).toMatch(/2 jobs of workers ended/);
  const consoles = [1, 2].map((n) => path.join(cwd, `workers/${n}/console.log`)).filter(existsSync);
  expect(consoles.map((file) => readFileSync(file, 'utf8')).join('')).toContain('works on coa');
});
