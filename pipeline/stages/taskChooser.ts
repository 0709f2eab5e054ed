import type { RlTaskChoice } from '../../contract/datasetWriter.ts';
import type { Config } from '../../schemas/config/config.ts';

/** A finished or running run, whose tasks may become tasks of reinforcement learning. */
export interface ChoosableRun {
  readonly runFolder: string;
  readonly config: Config;
}

/**
 * Yields the tasks that a run's rollouts were given, in their order, each with its pass rate and the reason why it is
 * left out.
 *
 * @param hasRow whether the dataset has a row of a task for supervised training
 */
export type ChooseTasks = (
  run: ChoosableRun,
  hasRow: (taskId: string) => boolean,
  signal: AbortSignal,
) => AsyncGenerator<RlTaskChoice>;

let registered: ChooseTasks | undefined;

/** Registers what chooses tasks for the dataset formats of reinforcement learning. */
export function registerTaskChooser(choose: ChooseTasks): void {
  registered = choose;
}

/** The registered chooser. Throws where no capability has registered one. */
export function taskChooser(): ChooseTasks {
  if (!registered) throw new Error('no capability chooses tasks: capabilities.ts was not imported');
  return registered;
}
