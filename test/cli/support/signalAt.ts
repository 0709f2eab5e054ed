import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const module = fileURLToPath(new URL('./signalAtOpening.ts', import.meta.url));

/**
 * The environment in which a command sends itself a signal once it has opened a file for writing whose path fits: so it
 * is in the midst of its work, however fast or slow the machine is.
 */
export function signalAt(signal: NodeJS.Signals, file: RegExp): Record<string, string> {
  return { NODE_OPTIONS: `--import=${module}`, COA_SIGNAL: signal, COA_SIGNAL_AT: file.source };
}

/** Waits until a command has stopped itself by `SIGSTOP`. */
export async function untilStopped(child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    if (/^State:\s*T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8'))) return;
    await delay(10);
  }
  throw new Error('the command ended before');
}
