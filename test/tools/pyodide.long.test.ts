import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createPyodideSandbox } from '../../tools/sandbox/createPyodideSandbox.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const forever = new AbortController().signal;

test('a snapshot is made once, kept for later sandboxes, and made again when it is damaged', async () => {
  const cache = temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  // Others make temporary files too.
  vi.stubEnv('TMPDIR', temporaryFolder());
  const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('coa-distill-pyodide-'));
  const before = temporary();
  const useOne = async () => {
    const another = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
    expect((await another.run({ code: 'print(1)', stdin: '' }, forever)).stdout).toBe('1\n');
    await another.close();
    expect(temporary()).toEqual(before);
  };
  await useOne();
  const folder = path.join(cache, 'coa-distill/pyodide');
  const [name] = readdirSync(folder);
  const file = path.join(folder, name!);
  const { mtimeMs, size } = statSync(file);
  await useOne();
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
  truncateSync(file, size / 2);
  await useOne();
  expect(statSync(file).size).toBe(size);
});

test('without a folder that can be written it works too', async () => {
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null/none');
  const another = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
  expect((await another.run({ code: 'print(1)', stdin: '' }, forever)).stdout).toBe('1\n');
  await another.close();
});

/** The processes that this one has started to run Pyodide. */
const interpreters = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      return (
        Number(parent) === process.pid &&
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('pyodideChild')
      );
    } catch {
      return false;
    }
  });

test('the time in which no core was free is not counted', async () => {
  const timeoutMs = 1200;
  const sandbox = await createPyodideSandbox({ timeoutMs, concurrency: 1 });
  const run = (code: string) => sandbox.run({ code, stdin: '' }, forever);
  await run('pass');
  const others: ReturnType<typeof spawn>[] = [];
  try {
    const [pid] = interpreters();
    execFileSync('taskset', ['-acp', '0', pid!]);
    for (let n = 0; n < 6; n++)
      others.push(spawn('taskset', ['-c', '0', process.execPath, '-e', 'for(;;);']));
    await new Promise((resolve) => setTimeout(resolve, 300));
    // Twice the limit by the clock, and a seventh of that on the core.
    const seconds = (2 * timeoutMs) / 1000;
    const patient = await run(
      `import time\nend = time.time() + ${seconds}\nwhile time.time() < end: pass\nprint('done')`,
    );
    expect(patient).toMatchObject({ kind: 'exited', stdout: 'done\n' });
    expect(patient.durationMs).toBeGreaterThan(timeoutMs);
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
  expect(await run('while True: pass')).toMatchObject({ kind: 'timed_out' });
  await sandbox.close();
});

test('programs share a process until one of them is cut off or breaks it', async () => {
  const sandbox = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
  const run = (code: string, timeoutMs = 20_000) => sandbox.run({ code, stdin: '', timeoutMs }, forever);
  const process = async () => (await run('import js\nprint(js.process.pid)')).stdout;
  const first = await process();
  expect(await process()).toBe(first);
  expect(await run('while True: pass', 300)).toMatchObject({ kind: 'timed_out', exitCode: null });
  const second = await process();
  expect(second).not.toBe(first);
  expect(await run('import os\nos._exit(9)')).toMatchObject({ kind: 'exited', exitCode: 9, stderr: '' });
  const third = await process();
  expect(third).not.toBe(second);
  await run('def f(): return f()\nf()');
  await run('x = bytearray(900 << 20)');
  expect(await process()).not.toBe(third);
  expect(await run('while True: print("x" * 1000)')).toMatchObject({ kind: 'output_limit', exitCode: null });
  await sandbox.close();
});
