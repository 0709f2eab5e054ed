import type { JsonObject } from '../../schemas/json.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import type { Task } from '../../schemas/task.ts';
import type { Trace } from '../../schemas/trace.ts';

/** How work on a task ended. A failed one keeps what had happened by then: `{events, messages, totals}`. */
export type TeacherOutcome =
  | { readonly kind: 'solved'; readonly trace: Trace }
  | { readonly kind: 'failed'; readonly failure: StageFailure; readonly partial: JsonObject };

/** Solves tasks, for instance a multi-agent system. Rejects only when `signal` is aborted. */
export interface Teacher {
  readonly name: string;
  solve(task: Task, signal: AbortSignal): Promise<TeacherOutcome>;
}
