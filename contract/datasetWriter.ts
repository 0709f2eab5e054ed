import type { Manifest } from '../schemas/manifest.ts';
import type { Sample } from '../schemas/sample.ts';
import type { Task } from '../schemas/task.ts';
import type { MeasuredRate, RlTaskReason } from '../schemas/training/taskLine.ts';
import type { Trajectory } from '../schemas/trajectory.ts';

/** Outcome of one trajectory in the dataset. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly sample: Sample }
  | { readonly kind: 'too_long'; readonly tokens: number; readonly cutoff_len: number }
  /** `dataset.mask` leaves no segment in the loss. */
  | { readonly kind: 'nothing_trained' }
  /** The dataset has reached its target. */
  | { readonly kind: 'over_target'; readonly wanted: Readonly<Record<string, number>> };

/** Two trajectories of one task, profile and prompt, one better than the other. */
export interface PreferencePair {
  readonly chosen: Trajectory;
  readonly rejected: Trajectory;
}

/** A task for reinforcement learning with the decision about it. */
export interface RlTaskChoice {
  readonly task: Task;
  /** Null if unknown. */
  readonly rate: MeasuredRate | null;
  /** Null if it is kept. */
  readonly reason: RlTaskReason | null;
  /** Location of the same question, for an excluded task. */
  readonly detail?: string;
}

/**
 * Writes a dataset in every format, row by row, in call order. Nothing is visible under the final name before
 * `finish`: files are written next to it and renamed together.
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
  /** True if a format compares two trajectories: only then are pairs written. */
  readonly takesPairs: boolean;
  /**
   * Writes a pair in the formats that compare two trajectories. A pair that cannot be written is counted and omitted.
   * @param clusterId - As of `write`.
   */
  writePair(pair: PreferencePair, clusterId?: string): Promise<void>;
  /** True if a format holds tasks: only then are they written. */
  readonly takesTasks: boolean;
  /**
   * Writes a task in the task formats, unless it has a reason against it or its prompt is too long; the outcome is in
   * their ledger.
   * @param clusterId - As of `write`.
   */
  writeTask(choice: RlTaskChoice, clusterId?: string): Promise<void>;
  /** True if the user's own rows are mixed in. */
  readonly mixes: boolean;
  /**
   * Draws the rows of `dataset.mix` and writes them behind all others. To be called once, last.
   *
   * @param clusterOf - The cluster of what a row asks, as of `write`.
   * @throws UserError for files that can't be read, or that hold no row that can be mixed in
   */
  mix(clusterOf: (asked: string) => string, signal: AbortSignal): Promise<void>;
  finish(): Promise<Manifest>;
  abort(): Promise<void>;
}
