// Needs bubblewrap, python3, python3-numpy.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createBubblewrapSandbox, slotUid } from '../../../tools/sandbox/createBubblewrapSandbox.ts';
import { watchProgram } from '../../../tools/sandbox/watchProgram.ts';
import type { DriverRequest } from './support/driverMessages.ts';
import { processesWith } from './support/hostProcesses.ts';

const limits = { timeoutMs: 20_000, concurrency: 2 };
const forever = new AbortController().signal;

describe('a program', () => {
  const sandbox = createBubblewrapSandbox(limits);
  afterAll(() => sandbox.close());
  const run = (code: string, options: { stdin?: string; timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const { stdin = '', signal = forever, ...rest } = options;
    return sandbox.run({ code, stdin, ...rest }, signal);
  };

  test('reads stdin, writes both streams and ends with its status', async () => {
    const code = 'import sys\nprint(input()[::-1])\nprint("err", file=sys.stderr)\nsys.exit(7)';
    expect(await run(code, { stdin: 'abc\n' })).toMatchObject({
      kind: 'exited',
      exitCode: 7,
      stdout: 'cba\n',
      stderr: 'err\n',
    });
  });

  test('that a signal ends has the status 128 + its number', async () => {
    expect(await run('import os\nos.kill(os.getpid(), 9)')).toMatchObject({
      kind: 'exited',
      exitCode: 137,
    });
  });

  test('may leave its input unread', async () => {
    expect(await run('print("done")', { stdin: 'x'.repeat(5_000_000) })).toMatchObject({
      stdout: 'done\n',
    });
  });

  test('prints a set in the same order every time', async () => {
    const code = 'print({str(n) for n in range(50)})';
    expect((await run(code)).stdout).toBe((await run(code)).stdout);
  });

  test('that never ends is cut off', async () => {
    // Asleep: the time that Python may take to start costs nothing.
    const code = 'import time\nprint("begun", flush=True)\nwhile True: time.sleep(1)';
    expect(await run(code, { timeoutMs: 6000 })).toMatchObject({
      kind: 'timed_out',
      exitCode: null,
      stdout: 'begun\n',
    });
  });

  test.each(['stdout', 'stderr'])('that never stops writing to %s is cut off', async (stream) => {
    const result = await run(`import sys\nwhile True: sys.${stream}.write("x" * 1000)`);
    expect(result).toMatchObject({ kind: 'output_limit', exitCode: null });
  });

  test('is ended when the run is stopped, with all it started', async () => {
    const stop = new AbortController();
    const marker = `62.${process.pid}`;
    const ended = run(`import subprocess\nsubprocess.run(["sleep", "${marker}"])`, { signal: stop.signal });
    await expect.poll(() => processesWith(marker)).not.toEqual([]);
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  test('is not begun when the run was stopped before', async () => {
    await expect(run('print(1)', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    );
  });

  test('runs without root, in no group of ours and without a way to more, and so does what holds it', async () => {
    const marker = `62.${process.pid}`;
    const ending = new AbortController();
    const running = run(`import subprocess\nsubprocess.run(['sleep', '${marker}'])`, {
      signal: ending.signal,
    });
    await expect.poll(() => processesWith(marker)).toHaveLength(1);
    const statuses = statusesUpTo(process.pid, processesWith(marker)[0]!);
    ending.abort(new Error('seen'));
    await expect(running).rejects.toThrow('seen');
    // The jail, the shell, Python and what that started.
    expect(statuses.length).toBeGreaterThanOrEqual(4);
    const users = [0, 1].map((slot) => slotUid(slot) ?? process.geteuid!());
    for (const status of statuses) {
      const uids = /^Uid:\s+(.*)$/m.exec(status)![1]!.split('\t').map(Number);
      expect(users).toContain(uids[0]);
      expect(new Set(uids).size).toBe(1);
      expect(/^NoNewPrivs:\s+(\d)$/m.exec(status)![1]).toBe('1');
      if (process.geteuid!() === 0) expect(status).toMatch(/^Groups:[ \t]*$/m);
    }
  });

  test('shares work among processes, in memory that counts as files', async () => {
    const code = `
from multiprocessing import Pool, Queue, Process, shared_memory
import os
def put(queue, name):
    shared = shared_memory.SharedMemory(name)
    shared.buf[0] = 7
    shared.close()
    queue.put('put')
if __name__ == '__main__':
    with Pool(2) as pool: print(pool.map(abs, [-1, -2]))
    shared, queue = shared_memory.SharedMemory(create=True, size=4096), Queue()
    child = Process(target=put, args=(queue, shared.name))
    child.start()
    print(queue.get(), shared.buf[0], shared.name in os.listdir('/tmp'))
    child.join()
    shared.unlink()`;
    expect((await run(code)).stdout).toBe('[1, 2]\nput 7 True\n');
  });

  test('finds nothing but itself where it starts', async () => {
    await run('open("/tmp/left", "w").close()');
    expect((await run('import os\nprint(os.listdir("."), os.getcwd())')).stdout).toBe("['main.py'] /tmp\n");
  });
});

test('a program does not outlive us', async () => {
  const marker = `63.${process.pid}`;
  const driver = spawn(
    process.execPath,
    ['--no-warnings', path.join(import.meta.dirname, 'support/driver.ts')],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  const code = `import subprocess\nsubprocess.run(['sleep', '${marker}'])`;
  const request: DriverRequest = { id: 1, world: 'bubblewrap', code, timeoutMs: 60_000 };
  driver.stdin.write(`${JSON.stringify(request)}\n`);
  await expect.poll(() => processesWith(marker)).not.toEqual([]);
  driver.kill('SIGKILL');
  await expect.poll(() => processesWith(marker)).toEqual([]);
});

test('a machine without the programs that this needs is no crash', async () => {
  const child = spawn('/no/such/program', [], { stdio: 'pipe' });
  const watched = watchProgram(child, {
    stdin: 'x',
    timeoutMs: 20_000,
    outputBytes: 1000,
    signal: forever,
    kill: () => {},
  });
  await expect(watched).rejects.toMatchObject({ failure: { cause: 'sandbox_unavailable' } });
});

/** What the kernel says of a process and of those around it, up to one of ours. */
function statusesUpTo(ours: number, pid: number): string[] {
  const statuses: string[] = [];
  for (let at = pid; at !== ours; at = Number(/^PPid:\s+(\d+)/m.exec(statuses.at(-1)!)![1])) {
    statuses.push(readFileSync(`/proc/${at}/status`, 'utf8'));
  }
  return statuses;
}
