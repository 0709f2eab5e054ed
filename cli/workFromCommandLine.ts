import { systemClock } from '../base/systemClock.ts';
import { workOnRuns } from '../pipeline/workers/workOnRuns.ts';
import { outputMode } from './outputMode.ts';
import { stopOnSignals } from './stopOnSignals.ts';

/** Works on runs of other machines until it is told to stop: the first signal lets calls in flight end. */
export async function workFromCommandLine(
  database: string,
  { once }: { readonly once: boolean },
): Promise<void> {
  const { drain, signal, release } = stopOnSignals({ drains: () => true });
  const log = (line: string): void => {
    if (!outputMode.isQuiet) console.error(line);
  };
  try {
    await workOnRuns({ database, once, drain, signal, env: process.env, clock: systemClock, log });
  } finally {
    release();
  }
}
