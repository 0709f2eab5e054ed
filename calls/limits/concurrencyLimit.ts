/** How many outcomes are remembered to tell whether refusals depend on how much is in flight. */
const OUTCOMES_REMEMBERED = 20;
/** Refusals depend on how much is in flight where fewer than so many are taken of those sent at a level or above. */
const MAX_TAKEN_ABOVE = 1 / 2;
/**
 * So many refusals at a level or above are a sign that it is the level; one may be by chance. Where more was just
 * tried, one is enough.
 */
const MIN_REFUSED = 3;
/** Most that one refusal lowers the limit by. */
const LOWERED_TO = 0.9;
/** Longest rest after refusals, in rounds, before more is tried. */
const MAX_REST_ROUNDS = 16;
/** A round is as many answers as the limit allows at once, but not fewer than this. */
const MIN_ANSWERS_PER_ROUND = 20;
/** Largest step up. */
const MAX_STEP = 8;
/** A limit that was above the present one by less is left to the careful search. */
const WORTH_RECOVERING = 1.25;

/** Whether a request was taken, and how many were in flight when it was sent, itself included. */
interface Outcome {
  readonly level: number;
  readonly taken: boolean;
}

/**
 * Finds how many requests an endpoint takes at once, at most `ceiling` (additive increase, multiplicative decrease).
 *
 * It begins at the ceiling, which is what the user says that the endpoint bears. A refusal lowers it only when
 * requests sent at that many in flight are refused and those with fewer are not: a server that refuses one request in
 * ten whatever the load would otherwise press it down to one. Where it was refused it rests, longer each time, before
 * it tries one more, so that the search itself costs few refusals.
 *
 * What was borne before a row of refusals is tried again once, by doubling: a few seconds in which the endpoint took
 * nothing would otherwise cost hours.
 */
export class ConcurrencyLimit {
  readonly #ceiling: number;
  readonly #outcomes: Outcome[] = [];
  /** Requests in flight, by the level that they were sent at. */
  readonly #pending = new Map<number, number>();
  #inFlight = 0;
  #limit: number;
  /** How much more is tried next; above 1 when the last change was up too. */
  #step = 1;
  #restRounds = 1;
  /** Answers since the limit last changed that came while it was the limit that held requests back. */
  #answers = 0;
  /** The limit before it was lowered, and whether it is tried again. */
  #before: { readonly limit: number; state: 'waiting' | 'tried' | 'refused' } | undefined;

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
  }

  /** Requests that may be in flight now: from 1 up to the ceiling. */
  get limit(): number {
    return this.#limit;
  }

  /** Requests in flight now. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Notes that a request is sent; returns its level, which is how many are in flight then. */
  send(): number {
    this.#inFlight += 1;
    this.#pending.set(this.#inFlight, (this.#pending.get(this.#inFlight) ?? 0) + 1);
    return this.#inFlight;
  }

  /** Notes the end of a request that says nothing of how many are taken. */
  end(level: number): void {
    this.#inFlight -= 1;
    const others = this.#pending.get(level)! - 1;
    if (others === 0) this.#pending.delete(level);
    else this.#pending.set(level, others);
  }

  /** Notes the end of a request that was taken. */
  taken(level: number): void {
    this.end(level);
    this.#remember({ level, taken: true });
    if ((this.#limit >= this.#ceiling && !this.#recovers) || level < this.#limit) return;
    this.#answers += 1;
    if (this.#recovers) {
      if (this.#answers >= this.#limit) this.#recover();
      return;
    }
    const round = Math.max(MIN_ANSWERS_PER_ROUND, this.#limit);
    if (this.#answers >= round * this.#restRounds) this.#raise();
  }

  /** Notes the end of a request that was refused. True when it was for too many at once, as far as can be told. */
  refused(level: number): boolean {
    this.end(level);
    this.#remember({ level, taken: false });
    if (!this.#dependsOnLevel(level)) return false;
    const lowered = Math.max(1, this.#inFlight, Math.floor(this.#limit * LOWERED_TO));
    if (lowered < this.#limit) {
      this.#before ??= { limit: this.#limit, state: 'waiting' };
      if (this.#before.state === 'tried') this.#before.state = 'refused';
      this.#limit = lowered;
      this.#answers = 0;
      this.#step = 1;
      this.#restRounds = Math.min(MAX_REST_ROUNDS, this.#restRounds * 2);
    }
    return true;
  }

  /** Notes that the endpoint takes nothing at all: what it refused says nothing of how many it takes. */
  takesNothing(): void {
    this.#restRounds = 1;
    if (this.#before) this.#before.state = 'waiting';
  }

  get #recovers(): boolean {
    if (this.#before === undefined || this.#before.state === 'refused') return false;
    return this.#before.state === 'tried' || this.#before.limit > this.#limit * WORTH_RECOVERING;
  }

  /** Doubles up to the limit of before, and forgets it once a round at it went well. */
  #recover(): void {
    const before = this.#before!;
    if (this.#limit >= before.limit) this.#before = undefined;
    else before.state = 'tried';
    this.#limit = Math.min(before.limit, this.#limit * 2);
    this.#answers = 0;
  }

  #raise(): void {
    this.#before = undefined;
    if (this.#step > 1) this.#restRounds = 1;
    this.#limit = Math.min(this.#ceiling, this.#limit + this.#step);
    this.#answers = 0;
    this.#step = Math.min(MAX_STEP, this.#step * 2);
  }

  #remember(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    if (this.#outcomes.length > OUTCOMES_REMEMBERED) this.#outcomes.shift();
  }

  #dependsOnLevel(level: number): boolean {
    const above = this.#shareTaken((other) => other >= level);
    const below = this.#shareTaken((other) => other < level);
    const fewest = this.#step > 1 ? 1 : MIN_REFUSED;
    return above.refused >= fewest && above.taken < MAX_TAKEN_ABOVE && above.taken < below.taken / 2;
  }

  /** A refusal comes at once and an answer takes its time, so what is still in flight counts as taken. */
  #shareTaken(counts: (level: number) => boolean): { readonly taken: number; readonly refused: number } {
    let taken = 0;
    let refused = 0;
    for (const outcome of this.#outcomes) {
      if (!counts(outcome.level)) continue;
      if (outcome.taken) taken += 1;
      else refused += 1;
    }
    for (const [level, requests] of this.#pending) if (counts(level)) taken += requests;
    return { taken: refused === 0 ? 1 : taken / (taken + refused), refused };
  }
}
