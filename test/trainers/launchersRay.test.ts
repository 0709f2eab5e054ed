import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { type RayCluster, startRayCluster } from './support/rayCluster.ts';
import {
  expectFailed,
  expectStopped,
  expectWorkers,
  type ScheduledProject,
} from './support/schedulerJobs.ts';
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

const viaRay = (file = config) => ['--launcher', 'ray', '--config', file];
const scheduled = (): ScheduledProject => ({ project, launcher: viaRay(), cli });

test('LLaMA-Factory runs on the cluster, and is followed to its end', async () => {
  const set = [
    'max_steps=2',
    'save_only_model=true',
    'disable_gradient_checkpointing=true',
    'plot_loss=false',
  ];
  const result = await cli(...trainArguments(project, 'real', { set, args: viaRay() }));
  expect(result.code, result.stderr).toBe(0);
  expect(result.stdout).toContain('t/real: finished');
  expect(result.stderr).toMatch(/t\/real step [12]\/2 · loss/);
  expect(jobRecord(project, 'real').attempts[0]!.handle).toMatchObject({
    kind: 'ray',
    address: cluster.address,
  });
  expect(readFileSync(path.join(jobFolder(project, 'real'), 'console.log'), 'utf8')).toContain(
    'train metrics',
  );
});

test('stop ends a job with its processes; started again it is another submission', () =>
  expectStopped(scheduled()));

test('a job that fails keeps its exit code and its last words', () => expectFailed(scheduled()));

test('a cluster that is not there is named, with what to do', async () => {
  const nowhere = writeConfig('nowhere.yaml', 'http://127.0.0.1:9');
  const result = await cli(...trainArguments(project, 'nowhere', { args: viaRay(nowhere) }));
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('ray start --head') });
  expect(result.stderr).toContain('training.ray.address');
});

test('jobs of the cluster work on a run', () => expectWorkers(viaRay()));
