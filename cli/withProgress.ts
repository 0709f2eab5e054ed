import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/systemClock.ts';
import { ProgressView } from './progress/progressView.ts';
import { type SignalStopOptions, stopOnSignals } from './stopOnSignals.ts';

export interface StageContext {
  readonly drain: AbortSignal;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly observer: ProgressView;
  readonly log: (line: string) => void;
}

interface ProgressOptions extends Pick<SignalStopOptions, 'resume'> {
  /** True for stages with calls in flight: the first signal drains, the second stops. */
  readonly drains?: boolean;
}

/** Runs stages of a command with progress display and signal handling, both of which end with the work. */
export async function withProgress<T>(
  { drains = false, ...stopping }: ProgressOptions,
  work: (context: StageContext) => Promise<T>,
): Promise<T> {
  const observer = new ProgressView(systemClock);
  // Before the first stage, files are read and nothing is paid for.
  using stop = stopOnSignals({
    ...stopping,
    drains: () => drains && observer.hasBegun,
    clear: () => observer.clear(),
  });
  try {
    return await work({
      drain: stop.drain,
      signal: stop.signal,
      clock: systemClock,
      env: process.env,
      observer,
      log: (line) => observer.note(line),
    });
  } finally {
    observer.close();
  }
}
