import type { JsonObject } from '../base/json.ts';
import { type FailureCause, failureCauses } from '../schemas/failureCauses.ts';
import type { StageFailure, WithheldParts } from '../schemas/outcome.ts';

/**
 * Thrown to whoever asks for new work while a run is stopped: stopped by the user, or its budget is spent. No
 * record is to blame: work that ends with it is still pending.
 */
export class RunHalted extends Error {
  override readonly name: string = 'RunHalted';
}

/** A cap by its key of `budget`. */
export interface SpentCap {
  readonly key: 'max_cost_usd' | 'max_tokens';
  readonly value: number;
}

/** A cap of the run's budget is reached: what is under way ends, what is left is pending. Exit code 3. */
export class BudgetSpent extends RunHalted {
  override readonly name = 'BudgetSpent';
  /** True for a cap of the run, which a further session has to raise; false for one of this session alone. */
  readonly isOfRun: boolean;
  /** The cap of the run; undefined where another process met it. */
  readonly cap: SpentCap | undefined;

  constructor(message: string, { isOfRun = true, cap }: { isOfRun?: boolean; cap?: SpentCap } = {}) {
    super(message);
    this.isOfRun = isOfRun;
    this.cap = cap;
  }
}

/** Thrown where work on a record can't go on; the runner turns it into the record's failure. */
export class RecordFailure extends Error {
  override readonly name = 'RecordFailure';
  /** What goes to the ledger. */
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

/** A model's answer that came, and is of no use: refused, withheld by a filter, or cut at the length limit. */
export class WithheldAnswer extends RecordFailure {
  readonly answer: WithheldParts;

  constructor(cause: FailureCause, message: string, answer: WithheldParts) {
    super(cause, message, { ...answer } as JsonObject);
    this.answer = answer;
  }

  /** What there is of it; may be empty. */
  get content(): string {
    return this.answer.content_start ?? '';
  }

  /** What was wrong, in words for the model that is asked again; undefined where it refused, which it would again. */
  get askAgain(): string | undefined {
    const { finish_reason, refusal } = this.answer;
    if (refusal !== undefined) return undefined;
    return finish_reason === 'length'
      ? 'it was cut at the length limit: give a much shorter one'
      : "it was withheld by the endpoint's filter";
  }
}

/** The failure of an error of any kind: a `RecordFailure`'s own, otherwise `internal`. */
export function failureOf(error: unknown): StageFailure {
  if (error instanceof RecordFailure) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { cause: 'internal', message, retryable: true, evidence: {} };
}
