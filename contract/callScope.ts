import type { CallRole } from '../schemas/run/eventLine.ts';

/** The work on one task, from its first call to its last: one object for all of its calls. */
export interface TaskWork {
  readonly task_id: string;
  /**
   * How often the task was begun again because of what a model said; 0 by default. Answers to an earlier attempt are
   * not used again.
   */
  readonly attempt?: number;
}

/** Whose call it is. */
export interface CallScope {
  readonly work: TaskWork;
  readonly role: CallRole;
}
