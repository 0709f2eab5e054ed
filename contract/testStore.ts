import type { StoredTests, TaskTests } from '../schemas/task.ts';

/** Where tests lie that are too long for records: a task of LiveCodeBench has megabytes of them. */
export interface TestStore {
  /** Keeps tests and gives what stands for them in a task. Equal tests are kept once. */
  put(tests: TaskTests): Promise<StoredTests>;
  /** The tests that were kept. Throws `RecordFailure` (`unscored`) when they are missing or not as they were. */
  get(tests: StoredTests): Promise<TaskTests>;
}
