// Needs bubblewrap, python3.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import {
  type Cgroup,
  cgroupName,
  createCgroup,
  findCgroup,
  removeLeftCgroups,
} from '../../tools/sandbox/tree/cgroup.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

// Not every machine that runs the tests lets them make control groups: the folders here only look like some.

/** A folder with the files of a control group. */
function cgroupFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a folder is taken for a control group that limits memory, of either version, by its files', () => {
  const second = cgroupFolder({ 'cgroup.procs': '', 'cgroup.subtree_control': 'cpu memory pids\n' });
  expect(findCgroup(second)).toEqual({ folder: second, version: 2 });
  const first = cgroupFolder({ 'cgroup.procs': '', 'memory.limit_in_bytes': '1\n' });
  expect(findCgroup(first)).toEqual({ folder: first, version: 1 });
  expect(findCgroup(cgroupFolder({ 'cgroup.procs': '', 'cgroup.subtree_control': 'cpu\n' }))).toBeUndefined();
  expect(findCgroup(cgroupFolder({}))).toBeUndefined();
});

test.each([
  [2, 'memory.max', 'memory.events', 'low 0\nhigh 0\nmax 7\noom 2\noom_kill 2\noom_group_kill 0\n'],
  [1, 'memory.limit_in_bytes', 'memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n'],
] as const)(
  'version %d: the limit is set, the program begins inside, its end is told',
  async (version, limit, events, text) => {
    const parent = temporaryFolder();
    const entered: string[] = [];
    const sandbox = createBubblewrapSandbox({
      timeoutMs: 20_000,
      concurrency: 1,
      openCgroup: (slot) => {
        const folder = join(parent, `slot-${slot}`);
        const group = createCgroup({ folder: parent, version }, `slot-${slot}`);
        writeFileSync(join(folder, events), text.replace('oom_kill 2', 'oom_kill 1'));
        return {
          ...group,
          enter: async (pid, bytes) => {
            await group.enter(pid, bytes);
            entered.push(
              readFileSync(join(folder, limit), 'utf8'),
              readFileSync(join(folder, 'cgroup.procs'), 'utf8'),
            );
          },
          remove: async () => {
            for (const name of readdirSync(folder)) rmSync(join(folder, name));
            await group.remove();
          },
        };
      },
    });
    const run = (code: string) =>
      sandbox.run({ code, stdin: '', limits: { memoryBytes: 64 << 20 } }, new AbortController().signal);
    expect(await run('print(1)')).toMatchObject({ kind: 'exited', stdout: '1\n' });
    expect(entered).toEqual([String((64 << 20) + (8 << 20)), expect.stringMatching(/^\d+$/)]);
    const ended = run('import time\ntime.sleep(15)');
    await expect.poll(() => entered.length).toBe(4);
    writeFileSync(join(parent, 'slot-0', events), text);
    expect(await ended).toMatchObject({ kind: 'memory_limit', exitCode: null });
    await sandbox.close();
    expect(readdirSync(parent)).toEqual([]);
  },
);

test('groups that killed processes left behind are removed, and no others', () => {
  const folder = temporaryFolder();
  // More than the kernel gives.
  const left = 'coa-distill-99999999-1-0';
  const ours = cgroupName(1, 0);
  for (const name of [left, ours, 'another']) mkdirSync(join(folder, name));
  removeLeftCgroups({ folder, version: 2 });
  expect(readdirSync(folder).sort()).toEqual(['another', ours]);
});

/** A sandbox whose programs are in a group that only looks like one, and the processes that were to enter it. */
function inGroup(folder: string, enter: Cgroup['enter']) {
  const events = join(folder, 'memory.events');
  writeFileSync(events, '');
  const entered: number[] = [];
  const group = createCgroup({ folder: dirname(folder), version: 2 }, basename(folder));
  const sandbox = createBubblewrapSandbox({
    timeoutMs: 20_000,
    concurrency: 1,
    openCgroup: () => ({
      ...group,
      enter: (pid, bytes) => {
        entered.push(pid);
        return enter(pid, bytes);
      },
      remove: () => Promise.resolve(),
    }),
  });
  return { sandbox, entered, events };
}

function isGone(pid: number): boolean {
  return !existsSync(`/proc/${pid}`);
}

test('a control group that can not be entered is a failure of the sandbox, told when the program is gone', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'memory.max'));
  const group = createCgroup({ folder: dirname(folder), version: 2 }, basename(folder));
  const { sandbox, entered } = inGroup(folder, group.enter);
  const run = sandbox.run({ code: 'print(1)', stdin: '' }, new AbortController().signal);
  await expect(run).rejects.toMatchObject({ failure: { cause: 'sandbox_unavailable' } });
  expect(entered.map(isGone)).toEqual([true]);
  await sandbox.close();
});

test('a control group that is taken away meanwhile is a failure of the sandbox, and no crash', async () => {
  const { sandbox, entered, events } = inGroup(temporaryFolder(), () => Promise.resolve());
  const run = sandbox.run({ code: 'import time\ntime.sleep(15)', stdin: '' }, new AbortController().signal);
  await expect.poll(() => entered.length).toBe(1);
  rmSync(events);
  await expect(run).rejects.toMatchObject({
    failure: { cause: 'sandbox_unavailable', message: expect.stringContaining('memory.events') },
  });
  expect(entered.map(isGone)).toEqual([true]);
  await sandbox.close();
});
