import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createProject } from '../../cli/support/project.ts';
import { type CliResult, runCli } from '../../cli/support/runCli.ts';
import { startPostgres } from '../../support/startPostgres.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { jobFolder, jobRecord, type TrainingProject, trainArguments } from './trainJob.ts';

/** A project whose jobs a scheduler starts. */
export interface ScheduledProject {
  readonly project: TrainingProject;
  /** The arguments that name the scheduler. */
  readonly launcher: readonly string[];
  cli(...args: string[]): Promise<CliResult>;
}

/** The arguments of a job whose `run.sh` starts a shell program in the trainer's place. */
export function shellJob({ project, launcher }: ScheduledProject, job: string, program: string): string[] {
  const python = path.join(project.folder, `${job}-python`);
  writeFileSync(python, `#!/bin/bash\n${program}\n`);
  chmodSync(python, 0o755);
  const args = trainArguments(project, job, { args: [...launcher, '--detach'] });
  return [...args, '--set', `python=${python}`];
}

export async function stateOf(
  { cli }: ScheduledProject,
  job: string,
): Promise<{ state: string; end: object | null }> {
  const status = await cli('train', 'status', `t/${job}`, '--json');
  if (status.code !== 0) throw new Error(status.stderr);
  return JSON.parse(status.stdout) as { state: string; end: object | null };
}

export async function untilState(scheduled: ScheduledProject, job: string, wanted: string): Promise<void> {
  await waitUntil(`${job} to be ${wanted}`, async () => (await stateOf(scheduled, job)).state === wanted);
}

export function consoleOf({ project }: ScheduledProject, job: string): string {
  const file = path.join(jobFolder(project, job), 'console.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Stop ends a job with its processes; started again it has another handle. */
export async function expectStopped(scheduled: ScheduledProject): Promise<void> {
  const { project, cli } = scheduled;
  const marker = path.join(project.folder, 'stopped-pids');
  const program = `echo $$ >> '${marker}'; setsid sleep 600 & echo $! >> '${marker}'; wait`;
  const started = await cli(...shellJob(scheduled, 'stopped', program));
  expect(started.code, started.stderr).toBe(0);
  await waitUntil(
    'both processes',
    () => existsSync(marker) && readFileSync(marker, 'utf8').split('\n').length >= 3,
  );
  expect((await stateOf(scheduled, 'stopped')).state).toBe('running');
  const stopped = await cli('train', 'stop', 't/stopped');
  expect(stopped.stdout, stopped.stderr).toContain('t/stopped: stopped');
  const pids = readFileSync(marker, 'utf8').trim().split('\n');
  // A scheduler calls a job ended some seconds before the last of its processes is gone.
  await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect((await cli('train', 'resume', 't/stopped', '--detach')).code).toBe(0);
  const [first, second] = jobRecord(project, 'stopped').attempts;
  expect(second!.handle).not.toEqual(first!.handle);
  await cli('train', 'stop', 't/stopped');
}

/** A job that fails keeps its exit code and its last words. */
export async function expectFailed(scheduled: ScheduledProject): Promise<void> {
  await scheduled.cli(...shellJob(scheduled, 'fails', 'echo "no such model" >&2; exit 7'));
  await untilState(scheduled, 'fails', 'ended');
  expect(await stateOf(scheduled, 'fails')).toMatchObject({
    end: { outcome: 'failed', exit_code: 7, last_words: expect.stringContaining('no such model') },
  });
  expect(consoleOf(scheduled, 'fails')).toContain('no such model');
}

/** Two jobs of the scheduler work on a run. */
export async function expectWorkers(launcher: readonly string[], env: Record<string, string> = {}) {
  const postgres = startPostgres();
  onTestFinished(() => postgres.stop());
  const cwd = createProject({ folder: temporaryFolder() });
  const cli = (...args: string[]) => runCli(args, { cwd, env });
  const started = await cli('workers', 'start', postgres.url, ...launcher, '--count', '2');
  expect(started.code, started.stderr).toBe(0);
  const ended = await cli('run', '--workers', postgres.url);
  expect(ended.code, ended.stderr).toBe(0);
  // The run may be over before the second job begins: then it waits for another one, or in the queue.
  const stopped = await cli('workers', 'stop', postgres.url, '--folder', 'workers');
  expect(stopped.stdout, stopped.stderr).toMatch(/2 jobs of workers ended/);
  const consoles = [1, 2].map((n) => path.join(cwd, `workers/${n}/console.log`)).filter(existsSync);
  expect(consoles.map((file) => readFileSync(file, 'utf8')).join('')).toContain('works on coa');
}
