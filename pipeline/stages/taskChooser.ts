import type { RlTaskChoice } from '../../contract/datasetWriter.ts';
import type { Config } from '../../schemas/config/config.ts';

/** Finished or running run whose tasks may become reinforcement learning tasks. */
export interface ChoosableRun {
  readonly runFolder: string;
  readonly config: Config;
}

/**
 * Yields the tasks of a run's rollouts in order, each with its pass rate and the reason for excluding it.
 *
 * @param hasRow whether the dataset has a row of a task for supervised training
 */
export type ChooseTasks = (
  run: ChoosableRun,
  hasRow: (taskId: string) => boolean,
  signal: AbortSignal,
) => AsyncGenerator<RlTaskChoice>;

let registered: ChooseTasks | undefined;

export function registerTaskChooser(choose: ChooseTasks): void {
  registered = choose;
}

/** Returns the registered chooser. Throws if none is registered. */
export function taskChooser(): ChooseTasks {
  if (!registered) throw new Error('no capability chooses tasks: capabilities.ts was not imported');
  return registered;
}
