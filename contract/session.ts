import type { Clock } from '../base/clock.ts';
import type { Resources } from '../base/resources.ts';
import type { AnswerCache } from './answerCache.ts';
import type { RunCalls } from './calls.ts';

/** What everything that a command opens is given of the world around it. */
export interface Session {
  /** Where keys are. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Answers of models and tools come from the cache alone; no key and no network is needed. */
  readonly offline: boolean;
  /** What calls of models and services go through. */
  readonly calls: RunCalls;
  /** Answers that machines share; absent: those of the run's own file. */
  readonly answers?: AnswerCache;
  /** Told what the user should know, one line at a time. */
  readonly log: (line: string) => void;
  /** Keeps what is opened until the command ends. */
  readonly resources: Resources;
}
