import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type CliResult, runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { killAll, signalAll } from '../support/signalAll.ts';
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
  trainerEnvironment,
} from './support/trainJob.ts';

const folder = sharedFolder();
const set = [
  'max_steps=6',
  'save_steps=2',
  'learning_rate=1e-3',
  'disable_gradient_checkpointing=true',
  'plot_loss=false',
];
let project: TrainingProject;
let undisturbed: CliResult;
/** What a second terminal shows while it runs. */
let seen: { status: CliResult; json: CliResult };

const cli = (args: readonly string[]) =>
  runCli(args, { cwd: folder, env: trainerEnvironment(project, 'llamafactory') });
const checkpoint = (job: string, step: number) =>
  path.join(jobFolder(project, job), `output/checkpoint-${step}/trainer_state.json`);

beforeAll(async () => {
  project = await createTrainingProject(folder, 6);
  const { child, ended } = startIn(project, trainArguments(project, 'whole', { set }));
  await waitUntil('checkpoint 2', () => existsSync(checkpoint('whole', 2)), ofTrainer(child));
  // It stands still while it is looked at.
  signalAll(jobProcesses(project, 'whole'), 'SIGSTOP');
  seen = {
    status: await cli(['train', 'status', 't/whole']),
    json: await cli(['train', 'status', 't', '--json']),
  };
  signalAll(jobProcesses(project, 'whole'), 'SIGCONT');
  undisturbed = await ended;
});

test('a job is started, followed with its progress, and finished; its loss falls', async () => {
  expect(undisturbed.code, undisturbed.stderr).toBe(0);
  expect(undisturbed.stdout).toMatch(
    /t\/whole: finished\ncheckpoint: runs\/t\/train\/whole\/output\/checkpoint-6\n\nNext:\n {2}see .* view t --export\n {2}score .* evaluate CONFIG --serve t\/whole\n {2}serve .* vllm serve \/.* --served-model-name t-whole /,
  );
  expect(undisturbed.stderr).toMatch(
    /t\/whole step [1-6]\/6 · loss \d+\.\d+ · learning rate \d.* steps\/min/,
  );
  const { steps, total_steps } = await curveOf(project, 'whole');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(total_steps).toBe(jobRecord(project, 'whole').plan.steps.total);
  expect(steps.at(-1)!.loss!).toBeLessThan(steps[0]!.loss!);
  expect(jobRecord(project, 'whole').versions.llamafactory).toBe('0.9.5');
});

test('a second terminal sees where it is and what it printed, while it runs', () => {
  expect(seen.status.stdout).toMatch(/^t\/whole step [2-6]\/6 .* · running\n/);
  expect(JSON.parse(seen.json.stdout)).toMatchObject({
    job: 't/whole',
    state: 'running',
    total_steps: 6,
    end: null,
  });
  const [, console = ''] = /^console: (.*)$/m.exec(seen.status.stdout)!;
  expect(readFileSync(console, 'utf8')).toContain('Running training');
});

test('a finished job is not started again', async () => {
  const resumed = await cli(['train', 'resume', 't/whole']);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing is left to do') });
  const again = await cli(trainArguments(project, 'whole', { set }));
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('was started before (finished)') });
});

test('the launcher is killed, then left, then the trainer, then both are killed: it goes on, to the very same losses', async () => {
  const launched = startIn(project, trainArguments(project, 'cut', { set }));
  await waitUntil('checkpoint 2', () => existsSync(checkpoint('cut', 2)), ofTrainer(launched.child));
  // It does not end before somebody follows it again.
  signalAll(jobProcesses(project, 'cut'), 'SIGSTOP');
  launched.child.kill('SIGKILL');
  await launched.ended;
  expect(jobProcesses(project, 'cut').length).toBeGreaterThan(0);

  const left = startIn(project, ['train', 'resume', 't/cut']);
  left.child.stderr!.on('data', (text) => String(text).includes('t/cut step') && left.child.kill('SIGINT'));
  expect(await left.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('the job goes on') });
  expect(jobProcesses(project, 'cut').length).toBeGreaterThan(0);

  const attached = startIn(project, ['train', 'resume', 't/cut']);
  attached.child.stderr!.once('data', () => signalAll(jobProcesses(project, 'cut'), 'SIGCONT'));
  await waitUntil('checkpoint 4', () => existsSync(checkpoint('cut', 4)), ofTrainer(attached.child));
  // All but the keeper, which is the session's leader.
  const { handle } = jobRecord(project, 'cut').attempts[0]!;
  const keeper = handle.kind === 'process' ? handle.pid : 0;
  killAll(jobProcesses(project, 'cut').filter((pid) => pid !== keeper));
  const killed = await attached.ended;
  expect(killed.stderr).toContain('t/cut: it runs, and is followed again');
  expect(killed.code).toBe(1);
  expect(killed.stdout).toContain('failed with exit code 137: it was killed from outside (killed)');

  const third = startIn(project, ['train', 'resume', 't/cut']);
  await waitUntil('attempt 2', () => jobRecord(project, 'cut').attempts.length === 2, ofTrainer(third.child));
  third.child.kill('SIGKILL');
  await third.ended;
  // What a process was starting when it was killed outlives it.
  await waitUntil('the end of the job', () => {
    const left = jobProcesses(project, 'cut');
    killAll(left);
    return left.length === 0;
  });
  const gone = await cli(['train', 'status', 't/cut']);
  expect(gone.stdout).toContain('it no longer runs, and nothing tells how it ended');

  const last = await cli(['train', 'resume', 't/cut']);
  expect(last.code, last.stderr).toBe(0);
  expect(last.stderr).toContain('goes on from the checkpoint of step 4');
  expect(jobRecord(project, 'cut').attempts.map(({ from_step }) => from_step)).toEqual([0, 4, 4]);
  expect((await curveOf(project, 'cut')).steps).toEqual((await curveOf(project, 'whole')).steps);
});

test('stop leaves no process behind, of two workers neither; what is saved stays', async () => {
  const two = [...set, 'processes_per_node=2', 'save_only_model=true', 'max_steps=3'];
  const started = await cli(trainArguments(project, 'stopped', { set: two, args: ['--detach'] }));
  expect(started.code, started.stderr).toBe(0);
  const follower = startIn(project, ['train', 'resume', 't/stopped']);
  // torchrun, two workers, and the keeper.
  await waitUntil(
    '4 processes',
    () => jobProcesses(project, 'stopped').length >= 4,
    ofTrainer(follower.child),
  );
  const again = await cli(trainArguments(project, 'stopped', { set: two }));
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('job t/stopped runs already') });
  const stopped = await cli(['train', 'stop', 't/stopped']);
  expect(stopped.code, stopped.stderr).toBe(0);
  expect(stopped.stdout).toMatch(
    /t\/stopped: stopped; resume it with: \S*coa-distill\S* train resume t\/stopped/,
  );
  expect(jobProcesses(project, 'stopped')).toEqual([]);
  expect((await follower.ended).code).toBe(1);
  const status = await cli(['train', 'status', 't/stopped', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'ended', end: { outcome: 'stopped' } });
  expect((await cli(['train', 'stop', 't/stopped'])).stdout).toContain('nothing to stop');
});
