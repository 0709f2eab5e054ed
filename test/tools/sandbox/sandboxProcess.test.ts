// Needs bubblewrap, python3, python3-numpy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import type { Sandbox, SandboxProgram } from '../../../contract/sandbox.ts';
import { codeConfigSchema } from '../../../schemas/config/tools/code.ts';
import { createSandbox } from '../../../tools/sandbox/createSandbox.ts';
import { openSandboxProcess } from '../../../tools/sandbox/openSandboxProcess.ts';
import { killAll } from '../../support/signalAll.ts';
import { processesWith } from './support/hostProcesses.ts';

const config = codeConfigSchema.parse({ backend: 'bubblewrap', timeout_s: 20, concurrency: 2 });
const forever = new AbortController().signal;
const runnerModule = path.resolve('tools/sandbox/programRunner.ts');
/** The processes that run programs for this one. */
const runners = () => runnersOf(process.pid);
const sleeping = (marker: string) => ({
  code: `import subprocess\nsubprocess.run(["sleep", "${marker}"])`,
  stdin: '',
});

let within: Sandbox;
let apart: Sandbox;
beforeAll(async () => {
  within = await createSandbox(config, () => {});
  apart = await openSandboxProcess(config, () => {});
});
afterAll(async () => {
  await within.close();
  await apart.close();
  expect(runners()).toEqual([]);
});

const bytes = 'import sys\nsys.stdout.buffer.write(bytes(range(256)))';
const programs: readonly (readonly [string, SandboxProgram])[] = [
  ['that reads and writes', { code: 'print(input()[::-1])', stdin: 'abc\n' }],
  ['that ends with a status', { code: 'import sys\nprint("e", file=sys.stderr)\nsys.exit(7)', stdin: '' }],
  ['that runs too long', { code: 'while True: pass', stdin: '', timeoutMs: 700 }],
  [
    'that writes too much',
    { code: 'while True: print("x" * 999)', stdin: '', limits: { outputBytes: 5000 } },
  ],
  ['of raw bytes', { code: bytes, stdin: '' }],
];

test.each(programs)('a program %s ends as it does within this process', async (_what, program) => {
  const [here, there] = await Promise.all([within.run(program, forever), apart.run(program, forever)]);
  const compared = { ...here, durationMs: expect.any(Number) };
  if (here.kind === 'output_limit') Object.assign(compared, { stdout: expect.stringContaining('xx') });
  expect(there).toEqual(compared);
});

test('a configuration that does not work here is refused, and no process stays', async () => {
  const before = runners();
  const lines: string[] = [];
  const broken = openSandboxProcess({ ...config, memory_mb: 1 }, (line) => lines.push(line));
  await expect(broken).rejects.toThrow('install bubblewrap');
  await expect(broken).rejects.toBeInstanceOf(UserError);
  await expect.poll(runners).toEqual(before);
});

test('a stopped program has ended when that is told', async () => {
  const marker = `71.${process.pid}`;
  const stop = new AbortController();
  const ended = apart.run(sleeping(marker), stop.signal);
  await expect.poll(() => processesWith(marker)).not.toEqual([]);
  stop.abort(new Error('stopped'));
  await expect(ended).rejects.toThrow('stopped');
  expect(processesWith(marker)).toEqual([]);
});

test('a program whose runner is killed fails with its cause, and the next one runs', async () => {
  const marker = `72.${process.pid}`;
  const ended = apart.run(sleeping(marker), forever).catch((error: unknown) => error);
  await expect.poll(() => processesWith(marker)).not.toEqual([]);
  killAll(runners());
  expect(await ended).toMatchObject({
    message: 'the process that runs programs ended: SIGKILL',
    failure: { cause: 'sandbox_unavailable', retryable: true },
  });
  await expect.poll(() => processesWith(marker)).toEqual([]);
  expect((await apart.run({ code: 'print(1)', stdin: '' }, forever)).stdout).toBe('1\n');
});

test('neither runner nor program outlives a process that is killed', async () => {
  const marker = `74.${process.pid}`;
  const script = `
    import { openSandboxProcess } from ${JSON.stringify(path.resolve('tools/sandbox/openSandboxProcess.ts'))};
    const sandbox = await openSandboxProcess(${JSON.stringify(config)}, () => {});
    await sandbox.run(${JSON.stringify(sleeping(marker))}, new AbortController().signal);`;
  const owner = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: 'inherit',
  });
  await expect.poll(() => processesWith(marker)).not.toEqual([]);
  const [runner] = runnersOf(owner.pid!);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await expect.poll(() => processesWith(marker)).toEqual([]);
  await expect.poll(() => processesWith(runnerModule).includes(runner!)).toBe(false);
});

function runnersOf(pid: number): number[] {
  return processesWith(runnerModule).filter((child) => parentOf(child) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It has ended since.
    return undefined;
  }
}
