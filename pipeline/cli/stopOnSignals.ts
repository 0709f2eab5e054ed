import { Interrupted } from '../run/runError.ts';

/** A stop that Ctrl-C and SIGTERM ask for. */
export interface SignalStop {
  /** Aborted with {@link Interrupted} at the first signal. */
  readonly signal: AbortSignal;
  /** Leaves signals to Node again. */
  release(): void;
}

/**
 * Turns the first Ctrl-C or SIGTERM into an orderly stop: no new work, what is in flight is given up and owed, what
 * is done is on disk. A second one ends the process at once.
 *
 * @param goOn the command that goes on with the run, printed with the stop; absent where there is nothing to go on with
 */
export function stopOnSignals(goOn?: string): SignalStop {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    if (controller.signal.aborted) process.exit(reason.exitCode);
    const hint = goOn === undefined ? '' : `; what is done is kept. Go on with: ${goOn}`;
    console.error(`\n${signal}: stopping${hint}`);
    controller.abort(reason);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
