import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { startPostgres } from '../support/startPostgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type RayCluster, startRayCluster } from './support/rayCluster.ts';
import {
  createTrainingProject,
  jobFolder,
  jobRecord,
  type TrainingProject,
  trainArguments,
  trainerEnvironment,
} from './support/trainJob.ts';

const folder = sharedFolder();
let project: TrainingProject;
let cluster: RayCluster;
let config: string;

beforeAll(async () => {
  project = await createTrainingProject(folder, 4);
  cluster = await startRayCluster(trainerEnvironment(project, 'llamafactory'));
  config = writeConfig('ray.yaml', cluster.address);
});
afterAll(() => cluster?.stop());

const cli = (...args: string[]): Promise<CliResult> =>
  runCli(args, { cwd: folder, env: trainerEnvironment(project, 'llamafactory') });

/** The run's configuration with a cluster's address. */
function writeConfig(name: string, address: string): string {
  const file = path.join(folder, name);
  const text = readFileSync(path.join(folder, 'coa.yaml'), 'utf8');
  writeFileSync(file, `${text}training: { ray: { address: "${address}" } }\n`);
  return file;
}

function rayJob(job: string, set: readonly string[] = []): string[] {
  return trainArguments(project, job, { set, args: ['--launcher', 'ray', '--config', config] });
}

/** A job whose `run.sh` starts a shell program in the trainer's place. */
function shellJob(job: string, program: string): string[] {
  const python = path.join(folder, `${job}-python`);
  writeFileSync(python, `#!/bin/bash\n${program}\n`);
  chmodSync(python, 0o755);
  const args = [...rayJob(job), '--detach'];
  return args.with(args.indexOf('--python') + 1, python);
}

async function stateOf(job: string): Promise<{ state: string; end: object | null }> {
  const status = await cli('train', 'status', `t/${job}`, '--json');
  if (status.code !== 0) throw new Error(status.stderr);
  return JSON.parse(status.stdout) as { state: string; end: object | null };
}

const consoleOf = (job: string): string =>
  readFileSync(path.join(jobFolder(project, job), 'console.log'), 'utf8');

test('LLaMA-Factory runs on the cluster, and is followed to its end', async () => {
  const set = [
    'max_steps=2',
    'save_only_model=true',
    'disable_gradient_checkpointing=true',
    'plot_loss=false',
  ];
  const result = await cli(...rayJob('real', set));
  expect(result.code, result.stderr).toBe(0);
  expect(result.stdout).toContain('t/real: finished');
  expect(result.stderr).toMatch(/t\/real step [12]\/2 · loss/);
  expect(jobRecord(project, 'real').attempts[0]!.handle).toMatchObject({
    kind: 'ray',
    address: cluster.address,
  });
  expect((await cli('train', 'logs', 't/real')).stdout).toContain('train metrics');
});

test('stop ends a job with its processes; started again it is another submission', async () => {
  const marker = path.join(folder, 'stopped-pids');
  const program = `echo $$ >> '${marker}'; setsid sleep 600 & echo $! >> '${marker}'; wait`;
  expect((await cli(...shellJob('stopped', program))).code).toBe(0);
  await waitUntil(
    'both processes',
    () => existsSync(marker) && readFileSync(marker, 'utf8').split('\n').length >= 3,
  );
  expect((await stateOf('stopped')).state).toBe('running');
  const stopped = await cli('train', 'stop', 't/stopped');
  expect(stopped.stdout, stopped.stderr).toContain('t/stopped: stopped');
  const pids = readFileSync(marker, 'utf8').trim().split('\n');
  await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect((await cli('train', 'resume', 't/stopped', '--detach')).code).toBe(0);
  const [first, second] = jobRecord(project, 'stopped').attempts;
  expect(second!.handle).not.toEqual(first!.handle);
  await cli('train', 'stop', 't/stopped');
});

test('a job that fails keeps its exit code and its last words', async () => {
  await cli(...shellJob('fails', 'echo "no such model" >&2; exit 7'));
  await waitUntil('the end of the job', async () => (await stateOf('fails')).state === 'ended');
  expect(await stateOf('fails')).toMatchObject({
    end: { outcome: 'failed', exit_code: 7, last_words: expect.stringContaining('no such model') },
  });
  expect(consoleOf('fails')).toContain('no such model');
});

test('a cluster that is not there is named, with what to do', async () => {
  const nowhere = writeConfig('nowhere.yaml', 'http://127.0.0.1:9');
  const args = rayJob('nowhere');
  const result = await cli(...args.with(args.indexOf('--config') + 1, nowhere));
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('ray start --head') });
  expect(result.stderr).toContain('training.ray.address');
});

test('jobs of the cluster work on a run', async () => {
  const postgres = startPostgres();
  onTestFinished(() => postgres.stop());
  const cwd = createProject({ folder: temporaryFolder() });
  const launcher = ['--launcher', 'ray', '--config', config, '--count', '2'];
  const started = await runCli(['workers', 'start', postgres.url, ...launcher], { cwd });
  expect(started.code, started.stderr).toBe(0);
  const ended = await runCli(['run', '--workers', postgres.url], { cwd });
  expect(ended.code, ended.stderr).toBe(0);
  // The run may be over before the second job begins: then it waits for another one.
  const stopped = await runCli(['workers', 'stop', postgres.url, '--folder', 'workers'], { cwd });
  expect(stopped.stdout, stopped.stderr).toMatch(/2 jobs of workers ended/);
  const consoles = [1, 2].map((n) => path.join(cwd, `workers/${n}/console.log`)).filter(existsSync);
  expect(consoles.map((file) => readFileSync(file, 'utf8')).join('')).toContain('works on coa');
});
