/**
 * Endpoints count a request when it arrives, and some arrive later after their turn than others: those of a minute and a
 * little more may arrive in one. So turns are spaced as if a minute were longer by what may pass between a turn and the
 * arrival, which costs 1.6% of a limit.
 */
const TURN_TO_ARRIVAL_MS = 1_000;

/** So much time has room for as many turns as a limit has in a minute. */
export const SPACED_MINUTE_MS = 60_000 + TURN_TO_ARRIVAL_MS;

/** A turn that is met so much late is given up. What is left of the time between turn and arrival is for the way. */
export const LATE_MS = TURN_TO_ARRIVAL_MS / 4;

/**
 * A token bucket of so much a minute. It holds what a second brings, at least 1, and fills a little slower than the
 * limit, so that units taken one by one never pass the limit in any minute, whichever way the endpoint counts, and also
 * if some take longer on their way than others. What costs more than the bucket holds is let through when it is full, and paid off
 * afterwards.
 */
export class RateBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  #level: number;
  #filledAtMs: number;

  constructor(perMinute: number, nowMs: number) {
    this.#capacity = Math.max(1, Math.floor(perMinute / 60));
    this.#perMs = (perMinute - (this.#capacity - 1)) / SPACED_MINUTE_MS;
    this.#level = this.#capacity;
    this.#filledAtMs = nowMs;
  }

  /** Milliseconds until so much may be taken; 0 for now. */
  waitMs(cost: number, nowMs: number): number {
    this.#fill(nowMs);
    const missing = Math.min(cost, this.#capacity) - this.#level;
    // Sums of fractions end a little below the whole number that they mean.
    return missing <= 1e-9 ? 0 : missing / this.#perMs;
  }

  /** Takes so much, also what is not there; a negative cost gives back. */
  take(cost: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#level = Math.min(this.#capacity, this.#level - cost);
  }

  #fill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#level = Math.min(this.#capacity, this.#level + passedMs * this.#perMs);
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs);
  }
}
