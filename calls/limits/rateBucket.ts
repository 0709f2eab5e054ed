/**
 * Maximum time between a turn and the request's arrival. Endpoints count a request on arrival, and delays differ, so
 * more than a minute's requests may arrive in one. Turns are spaced as if a minute were longer by this time, which
 * costs 1.6% of a limit.
 */
const TURN_TO_ARRIVAL_MS = 1_000;

/** Time for as many turns as a limit has per minute. */
export const SPACED_MINUTE_MS = 60_000 + TURN_TO_ARRIVAL_MS;

/** Delay after which a turn is lost. The rest of the time between turn and arrival is for the network. */
export const LATE_MS = TURN_TO_ARRIVAL_MS / 4;

/**
 * Token bucket for a limit per minute. It holds one second's worth, at least 1, and refills slightly slower than the
 * limit, so that single units never exceed the limit in any minute, whichever way the endpoint counts and however
 * delays differ. Larger costs are admitted when the bucket is full, and paid off afterwards.
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

  /** Milliseconds until the cost may be taken; 0 for now. */
  waitMs(cost: number, nowMs: number): number {
    this.#fill(nowMs);
    const missing = Math.min(cost, this.#capacity) - this.#level;
    // Sums of fractions end slightly below the intended integer.
    return missing <= 1e-9 ? 0 : missing / this.#perMs;
  }

  /** Takes a cost, even below 0; a negative cost gives back. */
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
