import type { Clock } from '../../base/clock.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';

/** Watches one task's tokens and time. Steps are the state machine's to count. */
export interface Budget {
  /** Aborted when the task's time is up or the run is stopped. */
  readonly signal: AbortSignal;
  /** Throws `RecordFailure` (`budget_tokens`) when no token is left. */
  checkTokens(usedTokens: number): void;
  /** The failure when the time is up; undefined before. */
  timeFailure(): RecordFailure | undefined;
  /** Stops the watch. */
  end(): void;
}

/** Starts the watch of a task. */
export function startBudget(limits: TeacherConfig['budget'], clock: Clock, signal: AbortSignal): Budget {
  const timeUp = new AbortController();
  const ended = new AbortController();
  clock.sleep(limits.max_seconds * 1000, ended.signal).then(
    () => timeUp.abort(new Error('the time of the task is up')),
    () => undefined,
  );
  return {
    signal: AbortSignal.any([signal, timeUp.signal]),
    checkTokens(usedTokens) {
      if (usedTokens < limits.max_tokens) return;
      const message = `${usedTokens} tokens are used, budget.max_tokens is ${limits.max_tokens}`;
      throw new RecordFailure('budget_tokens', message, { used_tokens: usedTokens });
    },
    timeFailure() {
      if (!timeUp.signal.aborted) return undefined;
      const message = `no answer within budget.max_seconds = ${limits.max_seconds}`;
      return new RecordFailure('budget_time', message);
    },
    end: () => ended.abort(),
  };
}
