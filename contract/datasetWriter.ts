import type { Manifest } from '../schemas/manifest.ts';
import type { Sample } from '../schemas/sample.ts';
import type { Task } from '../schemas/task.ts';
import type { MeasuredRate, RlTaskReason } from '../schemas/training/taskLine.ts';
import type { Trajectory } from '../schemas/trajectory.ts';

/** What became of one trajectory in the dataset. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly sample: Sample }
  | { readonly kind: 'too_long'; readonly tokens: number; readonly cutoff_len: number }
  /** `dataset.mask` leaves none of its segments in the loss. */
  | { readonly kind: 'nothing_trained' }
  /** The dataset holds what it is to hold. */
  | { readonly kind: 'over_target'; readonly wanted: Readonly<Record<string, number>> };

/** Two trajectories of one task, profile and prompt, of which one is better. */
export interface PreferencePair {
  readonly chosen: Trajectory;
  readonly rejected: Trajectory;
}

/** A task for reinforcement learning, and what was decided of it. */
export interface RlTaskChoice {
  readonly task: Task;
  /** Null where nobody knows it. */
  readonly rate: MeasuredRate | null;
  /** Null where it is to be learned from. */
  readonly reason: RlTaskReason | null;
  /** Where its question stands, of one that was left out. */
  readonly detail?: string;
}

/**
 * Writes a dataset in every format, row by row, in the order of the calls. Nothing is visible under the final name
 * before `finish`: files are written beside it and renamed as one.
 */
export interface DatasetWriter {
  /**
   * May be called for several rows before the first is written: rows are prepared at once and written in the order of
   * the calls. Throws `RecordFailure` for a row that can't be tokenised exactly.
   *
   * @param clusterId - Rows of one cluster are all in the training split or all in the validation split; the task's id
   * where absent
   */
  write(trajectory: Trajectory, clusterId?: string): Promise<WriteOutcome>;
  /** Whether a format compares two trajectories: only then pairs are written. */
  readonly takesPairs: boolean;
  /**
   * Writes a pair in the formats that compare two trajectories. A pair that can't be written is counted and left out.
   *
   * @param clusterId - As of `write`.
   */
  writePair(pair: PreferencePair, clusterId?: string): Promise<void>;
  /** Whether a format holds tasks: only then they are written. */
  readonly takesTasks: boolean;
  /**
   * Writes a task in the formats of tasks, unless there is a reason against it or its prompt is too long; what became of
   * it stands in their ledger.
   *
   * @param clusterId - As of `write`.
   */
  writeTask(choice: RlTaskChoice, clusterId?: string): Promise<void>;
  /** Whether rows of the user's own are mixed in. */
  readonly mixes: boolean;
  /**
   * Draws the rows of `dataset.mix` and writes them behind all others. To be called once, last.
   *
   * @param clusterOf - The cluster of what a row asks, as of `write`.
   * @throws UserError for files that can't be read, or that hold no row that can be mixed in
   */
  mix(clusterOf: (asked: string) => string, signal: AbortSignal): Promise<void>;
  finish(): Promise<Manifest>;
  /** Removes what was written. */
  abort(): Promise<void>;
}
