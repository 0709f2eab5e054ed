/** Thrown if two answers cannot be compared: one is unreadable or too expensive. Never a label. */
export class Undecidable extends Error {
  override readonly name = 'Undecidable';
}

/** Result of a step, or the error that it could not decide. */
export function attempt<T>(step: () => T): T | Undecidable {
  try {
    return step();
  } catch (error) {
    if (error instanceof Undecidable) return error;
    throw error;
  }
}

/** Thrown if an expression has no value, such as `1/0` or the inverse sine of 2. */
export class NoValue extends Undecidable {}

/**
 * Maximum steps of one comparison: reading a token, evaluating a node or comparing two items is one, and long numbers
 * count by length. Mutations of MATH-500's answers take up to 1,300; all 30,000 take some 150 ms.
 */
export const MAX_STEPS = 30_000;

/** Counts the steps of one comparison. */
export class WorkBudget {
  #spent = 0;

  /** Steps taken so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Takes steps. Throws {@link Undecidable} if none are left. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > MAX_STEPS) throw new Undecidable(`comparing takes more than ${MAX_STEPS} steps`);
  }
}
