/** Number of outcomes after which the count of refusals restarts. */
const WINDOW = 30;
/**
 * Refusals in a window that lower the limit. Fewer are ignored: an endpoint that refuses one request in ten at any load
 * would otherwise press the limit down to 1.
 */
const REFUSALS_THAT_LOWER = WINDOW / 2;
const LOWERED_TO = 3 / 4;
/** Answers at the limit, or as many as the limit if that is more, after which one more request is tried. */
const ANSWERS_BEFORE_RAISE = 60;

/** A request in flight, as far as the limit has to know it: how often the limit had been lowered when it was sent. */
export type LimitTicket = number;

/**
 * Adapts how many requests are in flight to what an endpoint takes, from 1 to `ceiling`: additive increase,
 * multiplicative decrease. It begins at the ceiling, which is what the user says that the endpoint bears. Several
 * decreases in a row may come from a short overload, so up to what the first of them left the limit doubles.
 */
export class ConcurrencyLimit {
  readonly #ceiling: number;
  #limit: number;
  /** Up to here the limit doubles after as many answers as it allows at once. */
  #doublesUpTo: number;
  #inFlight = 0;
  #timesLowered = 0;
  #window = { outcomes: 0, refused: 0 };
  /** Answers since the limit last changed while it held requests back. */
  #answers = 0;
  /** True if the last change was a decrease. */
  #wasLowered = false;

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
    this.#doublesUpTo = ceiling;
  }

  /** Requests that may be in flight now. */
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

  /** Notes the end of a request that says nothing of how many are taken. */
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
    // Sent with others that already lowered the limit.
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
