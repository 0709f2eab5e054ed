import type { JsonObject } from '../base/json.ts';
import type { StageFailure } from '../schemas/outcome.ts';
import type { Task } from '../schemas/task.ts';
import type { Trace } from '../schemas/trace.ts';
import type { StageContext } from './stage.ts';

/** How work on a task ended. A failed one keeps what had happened by then: `{events, messages, totals}`. */
export type TeacherOutcome =
  | { readonly kind: 'solved'; readonly trace: Trace }
  | { readonly kind: 'failed'; readonly failure: StageFailure; readonly partial: JsonObject };

/**
 * Solves tasks, for instance a multi-agent system. Rejects when `signal` is aborted, and with a `UserError` for what
 * no task is to blame for and no task can go on with, for instance a full disk; with `RunHalted` when it was refused
 * another call because the run is stopped.
 */
export interface Teacher {
  solve(task: Task, context: StageContext): Promise<TeacherOutcome>;
  /** Further requests to models that could be sent now, 0 where some wait; absent where that is not known. */
  freeSlots?(): number;
  /**
   * Tasks whose conversations its servers keep at once, each in a slot of its own: more of them would be read again
   * from their beginning at each call. Undefined where that is not known.
   */
  slots?(): number | undefined;
  /** Calls a listener whenever `freeSlots` may have changed; returns what takes it out again. */
  onFreeSlots?(listener: () => void): () => void;
}
