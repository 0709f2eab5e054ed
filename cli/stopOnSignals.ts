import { Interrupted } from '../pipeline/run/runError.ts';
import type { StopSignals } from '../pipeline/run/stopSwitch.ts';
import { runnable } from './programCommand.ts';

/** A stop that Ctrl-C and SIGTERM ask for. */
export interface SignalStop extends StopSignals {
  /** Leaves signals to Node again. */
  release(): void;
}

export interface SignalStopOptions {
  /** The command that resumes the work, printed with the stop; absent where there is nothing to resume. */
  readonly resume?: string;
  /** True for work that can let what is in flight end: the first signal drains, the second stops. */
  readonly drains?: boolean;
}

/**
 * Turns Ctrl-C and SIGTERM into an orderly stop with {@link Interrupted}. Work that drains begins nothing new at the
 * first signal, ends what is in flight, and gives that up at the second; other work stops at the first. One signal
 * more ends the process at once. What is done is on disk in any case, and what is not is pending.
 */
export function stopOnSignals({ resume, drains = false }: SignalStopOptions = {}): SignalStop {
  const draining = new AbortController();
  const stopping = new AbortController();
  const hint = resume === undefined ? '' : runnable(`; what is done is kept. Resume with: ${resume}`);
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    if (stopping.signal.aborted) process.exit(reason.exitCode);
    const isFirst = !draining.signal.aborted;
    draining.abort(reason);
    if (drains && isFirst) {
      console.error(`\n${signal}: waiting for the calls in flight, once more to stop now${hint}`);
      return;
    }
    console.error(`\n${signal}: stopping${hint}`);
    stopping.abort(reason);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    drain: draining.signal,
    signal: stopping.signal,
    release() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
