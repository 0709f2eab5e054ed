import type { StoredTests, TaskTests } from '../schemas/task.ts';

/** Storage of tests too long for records: a task of LiveCodeBench has megabytes of them. */
export interface TestStore {
  /** Stores tests and returns their reference for the task. Equal tests are stored once. */
  put(tests: TaskTests): Promise<StoredTests>;
  /** Stored tests. Throws `RecordFailure` (`unscored`) if they are missing or changed. */
  get(tests: StoredTests): Promise<TaskTests>;
}
