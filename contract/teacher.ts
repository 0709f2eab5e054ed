import type { JsonObject } from '../base/json.ts';
import type { StageFailure } from '../schemas/outcome.ts';
import type { Task } from '../schemas/task.ts';
import type { Trace } from '../schemas/trace.ts';
import type { StageContext } from './stage.ts';

/** Result of the work on a task. A failure keeps the progress so far: `{events, messages, totals}`. */
export type TeacherOutcome =
  | { readonly kind: 'solved'; readonly trace: Trace }
  | { readonly kind: 'failed'; readonly failure: StageFailure; readonly partial: JsonObject };

/**
 * Solves tasks, for instance with a multi-agent system. Rejects when `signal` is aborted, with a `UserError` for
 * problems of no single task that stop all of them, for instance a full disk, and with `RunHalted` if a call was
 * refused because the run is stopping.
 */
export interface Teacher {
  solve(task: Task, context: StageContext): Promise<TeacherOutcome>;
  /** Further model requests that could be sent now, 0 if some wait; absent if unknown. */
  freeSlots?(): number;
  /**
   * Maximum tasks whose conversations the servers keep in slots: further tasks would be prefilled from the start at
   * each call. Undefined if unknown.
   */
  slots?(): number | undefined;
  /** Calls a listener when `freeSlots` may have changed; returns the function that removes it. */
  onFreeSlots?(listener: () => void): () => void;
}
