import { once } from 'node:events';
import { Interrupted } from '../pipeline/run/runError.ts';
import type { StopSignals } from '../pipeline/run/stopSwitch.ts';
import { runnable } from './programCommand.ts';

/** Stop triggered by Ctrl-C and SIGTERM. */
export interface SignalStop extends StopSignals, Disposable {
  /** Restores Node's signal handling. */
  [Symbol.dispose](): void;
}

export interface SignalStopOptions {
  /** Command that resumes the work, printed on a stop; absent if nothing can be resumed. */
  readonly resume?: string;
  /**
   * True if calls may be in flight, evaluated at the first signal: it drains then, and the second stops. Default:
   * false.
   */
  readonly drains?: () => boolean;
  /** Removes live lines that would overwrite the message. Default: none. */
  readonly clear?: () => void;
}

/** Time for a stopped command to exit by itself, in milliseconds; then its process ends. */
const LEAVE_MS = 500;

/**
 * Turns Ctrl-C and SIGTERM into an orderly stop with {@link Interrupted}. Draining work starts nothing new at the first
 * signal, finishes calls in flight, and abandons them at the second. Other work stops at the first; if it blocks on an
 * endless read, its process ends half a second later. One more signal ends the process at once. Finished work is on
 * disk in any case; the rest is pending.
 */
export function stopOnSignals({
  resume,
  drains = () => false,
  clear = () => {},
}: SignalStopOptions = {}): SignalStop {
  const draining = new AbortController();
  const stopping = new AbortController();
  let leaving: NodeJS.Timeout | undefined;
  const hint = resume === undefined ? '' : runnable(`; what is done is kept. Resume with: ${resume}`);
  const leave = ({ exitCode, signal }: Interrupted): void => {
    leaving = setTimeout(() => {
      // Emits `exit` for cleanup and ends by signal, since `process.exit` would wait for threads that may be deep in a
      // regular expression.
      process.emit('exit', exitCode);
      process.off(signal, onSignal);
      process.kill(process.pid, signal);
    }, LEAVE_MS).unref();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    if (stopping.signal.aborted) process.exit(reason.exitCode);
    const isFirst = !draining.signal.aborted;
    draining.abort(reason);
    clear();
    if (isFirst && drains()) {
      console.error(`\n${signal}: waiting for the calls in flight, once more to stop now${hint}`);
      return;
    }
    console.error(`\n${signal}: stopping${hint}`);
    stopping.abort(reason);
    if (isFirst) leave(reason);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    drain: draining.signal,
    signal: stopping.signal,
    [Symbol.dispose]() {
      clearTimeout(leaving);
      // The work has ended, but an open input may keep the process alive.
      if (draining.signal.aborted) leave(draining.signal.reason);
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/** Waits until a server is stopped. Returns the exit code. */
export async function untilStopped(stop: AbortSignal): Promise<number> {
  if (!stop.aborted) await once(stop, 'abort');
  return stop.reason.exitCode;
}

/** True if an address is reachable from other machines. */
export function isOpen(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname !== '[::1]' && !hostname.startsWith('127.');
}
