import type { Clock } from '../base/clock.ts';
import type { Resources } from '../base/resources.ts';
import type { AnswerCache } from './answerCache.ts';
import type { RunCalls } from './calls.ts';

/** Environment of everything that a command opens. */
export interface Session {
  /** Environment variables with keys. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** True if model and tool answers come from the cache only; no key and no network is needed. */
  readonly offline: boolean;
  /** Accounting and observation of calls. */
  readonly calls: RunCalls;
  /** Answers shared by machines; absent: the run's own file. */
  readonly answers?: AnswerCache;
  /** Prints one line for the user. */
  readonly log: (line: string) => void;
  /** Keeps opened resources until the command ends. */
  readonly resources: Resources;
}
