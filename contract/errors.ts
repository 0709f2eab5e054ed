import type { JsonObject } from '../base/json.ts';
import { type FailureCause, failureCauses } from '../schemas/failureCauses.ts';
import type { StageFailure } from '../schemas/outcome.ts';

/**
 * Thrown to whoever asks for new work while a run is stopped: stopped by the user, or its budget is spent. No
 * record is to blame: work that ends with it is still pending.
 */
export class RunHalted extends Error {
  override readonly name: string = 'RunHalted';
}

/** A cap of the run's budget is reached: what is under way ends, what is left is pending. Exit code 3. */
export class BudgetSpent extends RunHalted {
  override readonly name = 'BudgetSpent';
  /** True for a cap of the run, which a further session has to raise; false for one of this session alone. */
  readonly isOfRun: boolean;

  constructor(message: string, { isOfRun = true } = {}) {
    super(message);
    this.isOfRun = isOfRun;
  }
}

/** Thrown where work on a record can't go on; the runner turns it into the record's failure. */
export class RecordFailure extends Error {
  override readonly name = 'RecordFailure';
  /** What goes to the ledger. */
  readonly failure: StageFailure;

  /** @param options `retryable` where it is known better than by the cause */
  constructor(
    cause: FailureCause,
    message: string,
    evidence: JsonObject = {},
    {
      retryable = failureCauses[cause].retryable,
      ...options
    }: ErrorOptions & { readonly retryable?: boolean } = {},
  ) {
    super(message, options);
    this.failure = { cause, message, retryable, evidence };
  }
}

/** The failure as an error again, once it came from another thread. */
export function errorOfFailure({ cause, message, evidence, retryable }: StageFailure): RecordFailure {
  return new RecordFailure(cause, message, evidence, { retryable });
}

/** The failure of an error of any kind: a `RecordFailure`'s own, otherwise `internal`. */
export function failureOf(error: unknown): StageFailure {
  if (error instanceof RecordFailure) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { cause: 'internal', message, retryable: true, evidence: {} };
}
