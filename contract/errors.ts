import type { JsonObject } from '../base/json.ts';
import { type FailureCause, failureCauses } from '../schemas/failureCauses.ts';
import type { StageFailure, WithheldParts } from '../schemas/outcome.ts';

/**
 * Thrown at requests for new work while a run stops, by the user or a spent budget. The records are not to blame and
 * stay pending.
 */
export class RunHalted extends Error {
  override readonly name: string = 'RunHalted';
}

/** A cap and its key in `budget`. */
export interface SpentCap {
  readonly key: 'max_cost_usd' | 'max_tokens';
  readonly value: number;
}

/** A cap of the run's budget is reached: work in progress finishes, the rest stays pending. Exit code 3. */
export class BudgetSpent extends RunHalted {
  override readonly name = 'BudgetSpent';
  /** True for a cap of the run, which has to be raised to continue; false for one of this session. */
  readonly isOfRun: boolean;
  /** Cap of the run; undefined if another process reached it. */
  readonly cap: SpentCap | undefined;

  constructor(message: string, { isOfRun = true, cap }: { isOfRun?: boolean; cap?: SpentCap } = {}) {
    super(message);
    this.isOfRun = isOfRun;
    this.cap = cap;
  }
}

/** Thrown if work on a record cannot continue; the runner records it as the record's failure. */
export class RecordFailure extends Error {
  override readonly name = 'RecordFailure';
  /** Failure for the ledger. */
  readonly failure: StageFailure;

  /** @param options `retryable` where it is known better than by the cause; `cut_short` as in the ledger */
  constructor(
    cause: FailureCause,
    message: string,
    evidence: JsonObject = {},
    {
      retryable = failureCauses[cause].retryable,
      cut_short,
      ...options
    }: ErrorOptions & Partial<Pick<StageFailure, 'retryable' | 'cut_short'>> = {},
  ) {
    super(message, options);
    this.failure = { cause, message, retryable, ...(cut_short && { cut_short }), evidence };
  }
}

/** An unusable answer: refused, withheld by a filter, or truncated. */
export class WithheldAnswer extends RecordFailure {
  readonly answer: WithheldParts;

  constructor(cause: FailureCause, message: string, answer: WithheldParts) {
    super(cause, message, { ...answer } as JsonObject);
    this.answer = answer;
  }

  /** Partial content; may be empty. */
  get content(): string {
    return this.answer.content_start ?? '';
  }

  /** Problem in words for the model on a retry; undefined for a refusal, which would recur. */
  get askAgain(): string | undefined {
    const { finish_reason, refusal } = this.answer;
    if (refusal !== undefined) return undefined;
    return finish_reason === 'length'
      ? 'it was cut at the length limit: give a much shorter one'
      : "it was withheld by the endpoint's filter";
  }
}

/** Failure for any error: a `RecordFailure`'s own, otherwise `internal`. */
export function failureOf(error: unknown): StageFailure {
  if (error instanceof RecordFailure) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { cause: 'internal', message, retryable: true, evidence: {} };
}
