// Needs bubblewrap, python3, python3-numpy.
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { UserError } from '../../base/userError.ts';
import type { SandboxLimits, SandboxProgram } from '../../contract/sandbox.ts';
import { createCodeTool } from '../../tools/code/createCodeTool.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import { createSandbox } from '../../tools/sandbox/createSandbox.ts';
import { createSlots, DEFAULT_LIMITS } from '../../tools/sandbox/sandboxLimits.ts';
import { weakBubblewrap } from './support/sandboxes.ts';

const { signal } = new AbortController();
const MEGABYTE = 1 << 20;

describe('bubblewrap holds', () => {
  const sandbox = createBubblewrapSandbox({ timeoutMs: 20_000, concurrency: 2 });
  afterAll(() => sandbox.close());

  const run = (code: string, limits: Partial<SandboxLimits> = {}, more: Partial<SandboxProgram> = {}) =>
    sandbox.run({ code, stdin: '', limits, ...more }, signal);

  const holdInMany = `
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray(b'x') * (40 << 20)
        time.sleep(15)
        os._exit(0)
time.sleep(15)`;

  test('the memory of all processes together', async () => {
    expect(await run(holdInMany, { memoryBytes: 400 * MEGABYTE }, { timeoutMs: 2000 })).toMatchObject({
      kind: 'timed_out',
    });
    expect(await run(holdInMany, { memoryBytes: 100 * MEGABYTE })).toMatchObject({
      kind: 'memory_limit',
      exitCode: null,
    });
  });

  test('the memory of one process, which is told', async () => {
    const { exitCode, stderr } = await run('held = bytearray(200 << 20)', { memoryBytes: 100 * MEGABYTE });
    expect([exitCode, stderr.trim().split('\n').at(-1)]).toEqual([1, 'MemoryError']);
  });

  test('memory and files together', async () => {
    const code = `
import os, time
for n in range(6): open(f'file{n}', 'wb').write(os.urandom(10 << 20))
held = bytearray(b'x') * (50 << 20)
time.sleep(15)`;
    const limits = { memoryBytes: 100 * MEGABYTE, diskBytes: 80 * MEGABYTE };
    expect(await run(code, limits)).toMatchObject({ kind: 'memory_limit' });
  });

  test('memory that is counted in many processes but held once, while they come and go', async () => {
    const code = `
import os, time
held = bytearray(b'x') * (60 << 20)
for seconds in [1] + [0, 0.001, 0.002, 0.005] * 20:
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(seconds)
            os._exit(0)
    for _ in range(4): os.wait()
print('done')`;
    expect(await run(code, { memoryBytes: 120 * MEGABYTE })).toMatchObject({
      kind: 'exited',
      stdout: 'done\n',
    });
  });

  test('the CPU time of one process and of all together', async () => {
    expect(await run('while True: pass', { cpuSeconds: 1 })).toMatchObject({
      kind: 'timed_out',
      exitCode: null,
    });
    const caught = `import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass`;
    const one = await run(caught, { cpuSeconds: 1 });
    expect(one.kind === 'timed_out' || one.exitCode === 137).toBe(true);
    const many = `
import os
for _ in range(3): os.fork()
end = os.times().user + 0.5
while os.times().user < end: pass
import time
time.sleep(15)`;
    expect(await run(many, { cpuSeconds: 2 })).toMatchObject({ kind: 'timed_out' });
  });

  test('the number of processes and threads', async () => {
    const code = `
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(15)
            os._exit(0)
        count += 1
except OSError as error: print(count < 10, error.strerror)`;
    expect((await run(code, { processes: 10 })).stdout).toBe('True Resource temporarily unavailable\n');
  });

  test('the size of a file, of all files and their number', async () => {
    const write = (files: number, bytes: number) => `
try:
    for n in range(${files}):
        with open(f'f{n}', 'wb') as file: file.write(bytes(${bytes}))
except OSError as error: print(error.strerror)`;
    expect((await run(write(1, 3 * MEGABYTE), { fileBytes: 2 * MEGABYTE })).stdout).toBe('File too large\n');
    const limits = { diskBytes: 4 * MEGABYTE };
    expect((await run(write(9, MEGABYTE), limits)).stdout).toBe('No space left on device\n');
    const { kind, stdout } = await run(write(200_000, 0), limits);
    expect(kind === 'memory_limit' || stdout === 'No space left on device\n').toBe(true);
  });

  test('open files', async () => {
    const code = `
try: files = [open('/dev/null') for _ in range(40)]
except OSError as error: print(error.strerror)`;
    expect((await run(code, { openFiles: 32 })).stdout).toBe('Too many open files\n');
    expect((await run(code, { openFiles: 64 })).stdout).toBe('');
  });

  test('the output of each stream, and gives back what came before', async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const code = `import sys\nwhile True: sys.${stream}.write('x' * 1000)`;
      const result = await run(code, { outputBytes: 5000 });
      expect([result.kind, result[stream]]).toEqual(['output_limit', 'x'.repeat(5000)]);
    }
  });

  test('a numeric library within the limits', async () => {
    const code = 'import numpy\nprint(numpy.linalg.inv(numpy.eye(3) * 2).sum())';
    expect(await run(code)).toMatchObject({ exitCode: 0, stdout: '1.5\n', stderr: '' });
  });

  test('nothing back that says how the program ended', async () => {
    for (const code of ['import os\nos.kill(os.getpid(), 9)', 'import os\nos.abort()']) {
      expect(await run(code)).toMatchObject({ kind: 'exited', stdout: '', stderr: '' });
    }
  });

  test('an agent to be told of too much memory as of a program that was killed', async () => {
    const tiny = createBubblewrapSandbox({
      limits: { ...DEFAULT_LIMITS, memoryBytes: 100 * MEGABYTE },
      timeoutMs: 20_000,
      concurrency: 1,
    });
    const tool = createCodeTool({ sandbox: tiny, timeoutMs: 20_000, shown: { maxChars: 512, cut: 'head' } });
    const { observation, raw } = await tool.call({ code: holdInMany }, signal);
    expect(observation).toBe('[FAILED] Code exited with status 137 (no output).');
    expect(raw).toMatchObject({ kind: 'memory_limit', exit_code: null });
    await tiny.close();
  });
});

describe('a sandbox that does not keep a promise', () => {
  test.each([
    ['network', { after: '--share-net' }, 'a socket of this machine was reached'],
    ['host_files', { before: '--ro-bind /etc /etc' }, '/etc/passwd is there'],
    ['environment', { after: '--setenv LEFT 1' }, "variables of others are there: ['LEFT']"],
    ['kernel_calls', { after: '--cap-add ALL' }, 'there are capabilities'],
  ] as const)('is refused by the name %s, unless that is accepted', async (promise, weakness, found) => {
    vi.stubEnv('PATH', `${weakBubblewrap(weakness)}:${process.env.PATH}`);
    const settings = { backend: 'bubblewrap' } as const;
    const refused = createSandbox(settings, () => {});
    await expect(refused).rejects.toBeInstanceOf(UserError);
    await expect(refused).rejects.toThrow(`${promise} (${found})`);
    await expect(refused).rejects.toThrow(`tools.code.accept_weaknesses: [${promise}]`);
    const lines: string[] = [];
    const accepted = await createSandbox({ ...settings, accept_weaknesses: [promise] }, (line) =>
      lines.push(line),
    );
    await accepted.close();
    expect(lines).toEqual([`tools.code goes without the promise ${promise} here: ${found}`]);
  });
});

test('background programs begin after all others and leave them a place', async () => {
  const slots = createSlots(3);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const use = (name: string, isBackground: boolean) =>
    slots.use(
      () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      { isBackground },
      signal,
    );
  const used = ['judge 1', 'judge 2', 'judge 3'].map((name) => use(name, true));
  await setImmediate();
  used.push(use('code 1', false), use('code 2', false));
  await setImmediate();
  expect(begun).toEqual(['judge 1', 'judge 2', 'code 1']);
  ends.get('judge 1')!();
  await setImmediate();
  expect(begun.slice(3)).toEqual(['code 2']);
  ends.get('code 1')!();
  await setImmediate();
  expect(begun.slice(4)).toEqual(['judge 3']);
  for (const name of ['judge 2', 'code 2', 'judge 3']) ends.get(name)!();
  await Promise.all([...used, slots.drained()]);
});
