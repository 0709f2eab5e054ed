import { once } from 'node:events';
import { Interrupted } from '../pipeline/run/runError.ts';
import type { StopSignals } from '../pipeline/run/stopSwitch.ts';
import { runnable } from './programCommand.ts';

/** A stop that Ctrl-C and SIGTERM ask for. */
export interface SignalStop extends StopSignals, Disposable {
  /** Leaves signals to Node again. */
  [Symbol.dispose](): void;
}

export interface SignalStopOptions {
  /** The command that resumes the work, printed with the stop; absent where there is nothing to resume. */
  readonly resume?: string;
  /**
   * Whether there may be calls in flight that are let end, asked at the first signal: it drains then, and the second
   * stops. What is only read is not waited for. Default: false.
   */
  readonly drains?: () => boolean;
  /** Takes live lines off the terminal, which would be drawn over the message. Default: there are none. */
  readonly clear?: () => void;
}

/** How long a command that stops at the first signal has to leave by itself, in milliseconds; then its process ends. */
const LEAVE_MS = 500;

/**
 * Turns Ctrl-C and SIGTERM into an orderly stop with {@link Interrupted}. Work that drains begins nothing new at the
 * first signal, ends what is in flight, and gives that up at the second; other work stops at the first, and where it reads
 * something without an end its process is ended half a second later. One signal more ends the process at once. What is done is on disk in any case, and what is not is pending.
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
      // `process.exit` would wait for threads, which may be deep in a regular expression: its listeners tidy up, and the
      // signal does the rest.
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
      // The work has ended, and what it read may hold the process all the same.
      if (draining.signal.aborted) leave(draining.signal.reason);
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/** Waits for the stop of a server. Returns the exit code. */
export async function untilStopped(stop: AbortSignal): Promise<number> {
  if (!stop.aborted) await once(stop, 'abort');
  return stop.reason.exitCode;
}

/** Whether others than this machine can reach an address. */
export function isOpen(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname !== '[::1]' && !hostname.startsWith('127.');
}
