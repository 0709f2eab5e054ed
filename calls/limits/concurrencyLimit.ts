/** Outcomes after which the count of refusals restarts. */
const WINDOW = 30;
/**
 * Refusals in a window that lower the limit. Fewer are ignored: an endpoint that refuses one request in ten at any
 * load would otherwise reduce the limit to 1.
 */
const REFUSALS_THAT_LOWER = WINDOW / 2;
const LOWERED_TO = 3 / 4;
/** Answers at the limit, or the limit itself if higher, before one more request is tried. */
const ANSWERS_BEFORE_RAISE = 60;

/** Ticket of a request in flight: how often the limit had been lowered when it was sent. */
export type LimitTicket = number;

/**
 * Adapts concurrency to the endpoint, from 1 to `ceiling`: additive increase, multiplicative decrease. It starts at
 * the ceiling, the capacity stated by the user. Several decreases in a row may come from a short overload, so the
 * limit doubles up to its value after the first of them.
 */
export class ConcurrencyLimit {
  readonly #ceiling: number;
  #limit: number;
  /** Limit up to which it doubles after as many answers as it allows at once. */
  #doublesUpTo: number;
  #inFlight = 0;
  #timesLowered = 0;
  #window = { outcomes: 0, refused: 0 };
  /** Answers since the last change while requests were waiting. */
  #answers = 0;
  /** True if the last change was a decrease. */
  #wasLowered = false;

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
    this.#doublesUpTo = ceiling;
  }

  /** Maximum concurrent requests now. */
  get limit(): number {
    return this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  send(): LimitTicket {
    this.#inFlight += 1;
    return this.#timesLowered;
  }

  /** Records the end of a request that says nothing about capacity. */
  end(): void {
    this.#inFlight -= 1;
  }

  taken(): void {
    const wasFull = this.#inFlight >= this.#limit;
    this.end();
    this.#count(0);
    if (!wasFull || this.#limit >= this.#ceiling) return;
    this.#answers += 1;
    if (this.#limit < this.#doublesUpTo) {
      if (this.#answers >= this.#limit) this.#raiseTo(Math.min(this.#doublesUpTo, this.#limit * 2));
    } else if (this.#answers >= Math.max(ANSWERS_BEFORE_RAISE, this.#limit)) {
      this.#raiseTo(this.#limit + 1);
    }
  }

  refused(ticket: LimitTicket): void {
    this.end();
    // Sent with others that have already lowered the limit.
    if (ticket !== this.#timesLowered) return;
    this.#count(1);
    if (this.#window.refused < REFUSALS_THAT_LOWER) return;
    this.#timesLowered += 1;
    this.#window = { outcomes: 0, refused: 0 };
    this.#limit = Math.max(1, Math.floor(this.#limit * LOWERED_TO));
    this.#answers = 0;
    if (!this.#wasLowered) this.#doublesUpTo = this.#limit;
    this.#wasLowered = true;
  }

  #count(refused: number): void {
    if (this.#window.outcomes === WINDOW) this.#window = { outcomes: 0, refused: 0 };
    this.#window.outcomes += 1;
    this.#window.refused += refused;
  }

  #raiseTo(limit: number): void {
    this.#limit = limit;
    this.#answers = 0;
    this.#wasLowered = false;
  }
}
