import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../../support/waitUntil.ts';

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
  const status = `/proc/${child.pid}/status`;
  const isStopped = () => existsSync(status) && /^State:\s*T/m.test(readFileSync(status, 'utf8'));
  await waitUntil('the command to stop itself', isStopped, { everyMs: 10, child });
}
