import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Sandbox } from '../../../../contract/sandbox.ts';
import { createBubblewrapSandbox } from '../../../../tools/sandbox/createBubblewrapSandbox.ts';
import type { World } from './driverMessages.ts';

/** The neighbour, and two attacks at a time. */
const CONCURRENCY = 3;
const DEFAULT_TIMEOUT_MS = 20_000;
/** Descriptor on which the bare world believes a program's status, as an unwise sandbox would. */
const STATUS_FD = 3;

/** Opens a sandbox, or what looks like one and isolates nothing. */
export function openWorld(world: World): Sandbox {
  const options = { timeoutMs: DEFAULT_TIMEOUT_MS, concurrency: CONCURRENCY };
  if (world === 'bubblewrap') return createBubblewrapSandbox(options);
  return { name: 'bubblewrap', isolates: false, run: runBare, close: async () => {} };
}

/** Runs a program with all that we have; its time-out ends nothing but itself. */
const runBare: Sandbox['run'] = async ({ code, timeoutMs }, signal) => {
  const startedAt = performance.now();
  const child = spawn('/usr/bin/python3', ['-c', code], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const [stdout, stderr, report] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    text(child.stdio[STATUS_FD] as Readable),
  ]);
  clearTimeout(timer);
  const reported = /"exit-code":\s*(\d+)/.exec(report)?.[1];
  const exitCode = reported === undefined ? child.exitCode : Number(reported);
  return { kind: 'exited', exitCode, stdout, stderr, durationMs: performance.now() - startedAt };
};
