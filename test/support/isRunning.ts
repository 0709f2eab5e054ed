import type { ChildProcess } from 'node:child_process';

/** Whether a process that was started here has neither exited nor been ended by a signal. */
export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
