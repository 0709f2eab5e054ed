import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findProcesses } from '../../base/processes/findProcesses.ts';
import { isProcessAlive, processIdentity } from '../../base/processes/processIdentity.ts';
import { systemClock } from '../../base/systemClock.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';
import { processControl } from '../../training/launchers/processLaunchers.ts';
import { killAll } from '../support/signalAll.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { installPrograms } from './support/installPrograms.ts';

/** Patient: a process that does as it is told may get no core for a while. */
const launcher = processControl(systemClock, 120_000);

/** Starts a shell program as a job; nothing of it outlives the test. */
async function startShell(program: string, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const handle = await launcher.start({
    folder,
    argv: ['bash', '-c', program],
    env,
    consoleFile: 'console.log',
  });
  onTestFinished(() => launcher.stop(handle, folder));
  return { folder, handle };
}

async function ended(handle: JobHandle, folder: string) {
  return waitUntil('the end of the job', async () => {
    const state = await launcher.state(handle, folder);
    return state.kind === 'ended' && state;
  });
}

const alive = (folder: string) => findProcesses('COA_DISTILL_JOB', folder);
const console_ = (folder: string) => readFileSync(join(folder, 'console.log'), 'utf8');

/** Waits until the job has printed a word. */
async function printed(folder: string, word: string): Promise<void> {
  await waitUntil(`${word} in the log`, () => console_(folder).includes(word));
}

test('a job runs in its folder with its environment, and both its streams and its exit code are kept', async () => {
  const { folder, handle } = await startShell('pwd; echo "$GREETING" >&2; exit 7', {
    GREETING: 'hello there',
  });
  expect(await ended(handle, folder)).toEqual({ kind: 'ended', exitCode: 7, outOfMemory: false });
  expect(console_(folder).trim().split('\n')).toEqual([folder, 'hello there']);
});

test('a job that a signal ended has the exit code of shells; one whose keeper is killed too has none', async () => {
  const killed = await startShell('kill -9 $$');
  expect(await ended(killed.handle, killed.folder)).toMatchObject({ exitCode: 137 });
  const lost = await startShell('echo ready; sleep 60');
  await printed(lost.folder, 'ready');
  killAll(alive(lost.folder)!);
  expect(await ended(lost.handle, lost.folder)).toMatchObject({ exitCode: null });
});

test('stop ends workers in sessions of their own, re-parented ones, and such that ignore SIGTERM', async () => {
  const { folder, handle } = await startShell(
    `setsid bash -c 'trap "" TERM; while :; do sleep 1; done' & (setsid sleep 300 &) ; echo ready; sleep 300`,
  );
  await printed(folder, 'ready');
  // The environment of a process that begins another program can't be read for a moment.
  await expect.poll(() => alive(folder)!.length).toBeGreaterThanOrEqual(4);
  expect(await launcher.state(handle, folder)).toEqual({ kind: 'running' });
  // What ignores it must be killed: the others end well before.
  await processControl(systemClock, 3_000).stop(handle, folder);
  expect(alive(folder)).toEqual([]);
  expect(await ended(handle, folder)).toMatchObject({ exitCode: 143 });
});

test('a job that is stopped before its trainer has begun does not begin it', async () => {
  const programs = temporaryFolder();
  // The keeper looks up its limits with it: from then on it hears signals.
  installPrograms({ sed: `touch ${programs}/asked\nsleep 2` }, programs);
  const PATH = `${programs}:${process.env.PATH}`;
  const { folder, handle } = await startShell('echo began; sleep 300', { PATH });
  await waitUntil('the keeper’s start', () => existsSync(join(programs, 'asked')));
  await launcher.stop(handle, folder);
  expect(await ended(handle, folder)).toMatchObject({ exitCode: 143 });
  expect(console_(folder)).not.toContain('began');
});

test('workers that a killed trainer left behind don’t make the job run on, and stop ends them', async () => {
  const { folder, handle } = await startShell('setsid sleep 300 & echo ready; kill -9 $$');
  await printed(folder, 'ready');
  expect(await ended(handle, folder)).toMatchObject({ exitCode: 137 });
  // The keeper ends right after it has written the code.
  await expect.poll(() => alive(folder)).toHaveLength(1);
  await expect(
    launcher.start({ folder, argv: ['true'], env: {}, consoleFile: 'console.log' }),
  ).rejects.toThrow('processes of this job still run');
  await launcher.stop(handle, folder);
  expect(alive(folder)).toEqual([]);
});

test('the trainer gets SIGTERM and may finish what it does', async () => {
  const { folder, handle } = await startShell(
    `trap 'echo saving; exit 0' TERM; echo ready; sleep 300 & wait`,
  );
  await printed(folder, 'ready');
  await launcher.stop(handle, folder);
  expect(console_(folder)).toContain('saving');
  expect(await ended(handle, folder)).toMatchObject({ exitCode: 0 });
});

test('a program that is not there ends with the shell’s code and words', async () => {
  const folder = temporaryFolder();
  const argv = ['no-such-trainer', '--config', 'a b'];
  const handle = await launcher.start({ folder, argv, env: {}, consoleFile: 'console.log' });
  expect(await ended(handle, folder)).toMatchObject({ exitCode: 127 });
  expect(console_(folder)).toContain('no-such-trainer');
});

test('arguments reach the program as they are', async () => {
  const folder = temporaryFolder();
  const hostile = ['a b', '$(touch owned)', "it's", '"', '\\n', '*', '', 'é\n2'];
  const script = 'for argument in "$@"; do printf "[%s]" "$argument"; done';
  const argv = ['bash', '-c', script, 'program', ...hostile];
  const handle = await launcher.start({ folder, argv, env: {}, consoleFile: 'console.log' });
  await ended(handle, folder);
  expect(console_(folder)).toBe(hostile.map((argument) => `[${argument}]`).join(''));
});

test('a job of another machine is not looked for here', async () => {
  const { folder, handle } = await startShell('true');
  const elsewhere = { ...handle, host: 'elsewhere' } as JobHandle;
  await expect(launcher.state(elsewhere, folder)).rejects.toThrow('started on elsewhere');
  await expect(launcher.stop(elsewhere, folder)).rejects.toThrow('started on elsewhere');
});

test('stop ends a job that carries no mark, and workers that wrote over their environment', async () => {
  const { folder, handle } = await startShell(
    'setsid env -i sleep 300 & echo $!; env -i sleep 300 & echo $!; (env -i sleep 300 & echo $!); echo ready; sleep 300',
  );
  await printed(folder, 'ready');
  const workers = (console_(folder).match(/\d+/g) ?? []).map(Number);
  const running = workers.map((pid) => ({ pid, identity: processIdentity(pid) }));
  expect(running.every(({ identity }) => identity !== null)).toBe(true);
  await launcher.stop({ ...handle, mark: '/another/job' } as JobHandle, folder);
  expect(running.filter(({ pid, identity }) => isProcessAlive(pid, identity))).toEqual([]);
});

/** A process in a session of its own, as a job whose mark nothing carries. */
async function unmarked(): Promise<JobHandle> {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => processIdentity(child.pid!)).not.toBeNull();
  const pid = child.pid!;
  const identity = processIdentity(pid);
  return { kind: 'process', host: hostname(), pid, process_identity: identity, mark: '/no/job' };
}

test.each([
  ['outlive SIGKILL', (): true => true, /were told to end, and have not \(\d+\)/],
  [
    'are another user’s',
    (): never => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    },
    /run as another user \(\d+\).*kill -9/,
  ],
] as const)('processes that %s are named, and not waited for without an end', async (_how, kill, message) => {
  const handle = await unmarked();
  let nowMs = 0;
  const clock = {
    ...systemClock,
    monotonicMs: (): number => nowMs,
    async sleep() {
      nowMs += 1_000;
    },
  };
  const real = process.kill.bind(process);
  const spy = vi
    .spyOn(process, 'kill')
    .mockImplementation((pid, signal): true => (signal === 0 ? real(pid, 0) : kill()));
  onTestFinished(() => spy.mockRestore());
  await expect(processControl(clock, 500).stop(handle, '/')).rejects.toThrow(message);
});
