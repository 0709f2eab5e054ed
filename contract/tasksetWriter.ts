import type { Task } from '../schemas/task.ts';

/** Writes tasks to files that appear together once they are finished. */
export interface TasksetWriter {
  /** Writes a task to its file; returns where it stands there. */
  write(task: Omit<Task, 'source'>, isHeldOut: boolean): Promise<Task['source']>;
  finish(): Promise<void>;
  /** Removes what was written. */
  abort(): Promise<void>;
}
