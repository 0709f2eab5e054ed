/** Outcomes and time after which the rate is looked at: answers come in bursts, which are not a rate. */
const WINDOW = { outcomes: 50, ms: 1000 };
/** Fewer are enough once so much time has passed, so that a low rate is not left for long. */
const LONG_WINDOW = { outcomes: 20, ms: 5000 };
/** A rate is not read from fewer answers: refusals come at once, answers only after a while. */
const MIN_ACCEPTED = 10;
/** What of the accepted rate is asked for after refusals. */
const LOWERED_TO = 0.95;
/** How much more is tried after a window without unusual refusals; doubles with each such window in a row. */
const FIRST_RAISE = 0.01;
const MAX_RAISE = 0.32;
/** From this share of the rate that was refused on, more is tried with the first raise only ... */
const NEAR_REFUSED = 0.9;
/** ... for so many windows: a burst that the endpoint takes hides for a while that it is asked too much. */
const CALM_WINDOWS = 20;
/** Windows for which less is asked for before it is judged whether that helped. */
const TRIAL_WINDOWS = 2;
/** Windows before them, in which requests that had been under way are still refused. */
const SETTLING_WINDOWS = 1;
/** Less helps where what is refused falls below this share of what it was. */
const HELPED_BELOW = 1 / 3;
/** Above this share of refusals, asking for less is right whatever their cause. */
const MAX_USUAL = 0.5;
/** More is tried only where so much of the rate is made use of: otherwise it is not what holds requests back. */
const USED_SHARE = 0.8;
/** By how many standard deviations a window's refusals may exceed the usual by chance. */
const CHANCE_DEVIATIONS = 2.5;
/** A first window may have so many refusals before they are acted upon. */
const MAX_USUAL_AT_FIRST = 0.2;
/** Windows for which a share of refusals counts as usual before it is put to the test again. */
const USUAL_WINDOWS = 10;

/** How many requests of a while were taken and refused. */
interface Tally {
  accepted: number;
  refused: number;
}

/** A while in which less is asked for, to see whether less is refused. */
interface Trial extends Tally {
  readonly shareBefore: number;
  readonly perMinuteBefore: number | undefined;
  /** What was accepted in the window before may be more than is now: a first trial that does not help gets a second. */
  readonly isFirst: boolean;
  windows: number;
}

/**
 * Finds how many requests a minute an endpoint takes that does not say so. It knows no bound until requests are
 * refused for another reason than how many are in flight; then it asks for a little less than what was accepted, and
 * carefully for more. Refusals that stay as frequent although less is asked for are the endpoint's habit: they are
 * ignored from then on unless there are more of them.
 */
export class RateFinder {
  #perMinute: number | undefined;
  #window: (Tally & { readonly startMs: number }) | undefined;
  #trial: Trial | undefined;
  #usualShare: number | undefined;
  /** Windows until it is put to the test again. */
  #usualWindows = 0;
  #raise = FIRST_RAISE;
  /** The rate that was asked for when requests were last refused. */
  #refusedAt = Number.POSITIVE_INFINITY;
  /** Windows in a row without unusual refusals near it or above. */
  #calmWindows = 0;

  /** Requests a minute to send at most; undefined while no bound is known. */
  get perMinute(): number | undefined {
    return this.#perMinute;
  }

  /** Notes how a request ended. True when `perMinute` has changed. */
  note(accepted: boolean, nowMs: number): boolean {
    this.#window ??= { accepted: 0, refused: 0, startMs: nowMs };
    count(this.#window, accepted);
    const passedMs = nowMs - this.#window.startMs;
    const outcomes = outcomesOf(this.#window);
    const isOver = [WINDOW, LONG_WINDOW].some((least) => outcomes >= least.outcomes && passedMs >= least.ms);
    if (!isOver || this.#window.accepted < MIN_ACCEPTED) return false;
    const before = this.#perMinute;
    this.#endWindow(this.#window, passedMs / 60_000);
    // Not at the next outcome: answers come in bursts, and a window from burst to burst would hold one too many.
    this.#window = { accepted: 0, refused: 0, startMs: nowMs };
    return this.#perMinute !== before;
  }

  /** Begins again what it was in the middle of: an endpoint that takes nothing at all shows nothing of its rate. */
  takesNothing(): void {
    this.#window = undefined;
    if (this.#trial) this.#perMinute = this.#trial.perMinuteBefore;
    this.#trial = undefined;
  }

  #endWindow(window: Tally, minutes: number): void {
    const outcomes = outcomesOf(window);
    const share = window.refused / outcomes;
    // There is nothing yet to compare the first window with.
    if (this.#usualShare === undefined) this.#takeForUsual(Math.min(share, MAX_USUAL_AT_FIRST));
    if (share > MAX_USUAL || (!this.#trial && share > this.#bearableShare(window))) {
      this.#lower(share, this.#takenPerMinute(window, minutes));
    } else if (this.#trial) {
      this.#judge(this.#trial, window, this.#takenPerMinute(window, minutes));
    } else {
      this.#usualWindows -= 1;
      if (this.#usualWindows <= 0) this.#usualShare = 0;
      this.#raiseRate(outcomes / minutes);
    }
  }

  /** What the endpoint took. Answers come irregularly: where the rate was made use of, it is the better measure. */
  #takenPerMinute(window: Tally, minutes: number): number {
    const asked = this.#perMinute;
    const isUsed = asked !== undefined && outcomesOf(window) / minutes >= asked * USED_SHARE;
    return isUsed ? (asked * window.accepted) / outcomesOf(window) : window.accepted / minutes;
  }

  #takeForUsual(share: number): void {
    this.#usualShare = share;
    this.#usualWindows = USUAL_WINDOWS;
  }

  /** The usual share, and by how much chance alone lets it differ. */
  #bearableShare(window: Tally): number {
    const usual = this.#usualShare ?? 0;
    return usual + CHANCE_DEVIATIONS * Math.sqrt((usual * (1 - usual)) / outcomesOf(window));
  }

  #lower(share: number, takenPerMinute: number): void {
    const askedPerMinute = this.#perMinute ?? Number.POSITIVE_INFINITY;
    if (!this.#trial) this.#refusedAt = askedPerMinute;
    const perMinuteBefore = this.#trial ? this.#trial.perMinuteBefore : this.#perMinute;
    const shareBefore = this.#trial?.shareBefore ?? share;
    const isFirst = this.#trial === undefined;
    this.#trial = { isFirst, shareBefore, perMinuteBefore, windows: 0, accepted: 0, refused: 0 };
    this.#raise = FIRST_RAISE;
    this.#calmWindows = 0;
    this.#perMinute = Math.max(1, Math.min(askedPerMinute, takenPerMinute) * LOWERED_TO);
  }

  #judge(trial: Trial, window: Tally, takenPerMinute: number): void {
    trial.windows += 1;
    if (trial.windows <= SETTLING_WINDOWS) return;
    trial.accepted += window.accepted;
    trial.refused += window.refused;
    if (trial.windows < SETTLING_WINDOWS + TRIAL_WINDOWS) return;
    const share = trial.refused / outcomesOf(trial);
    if (share <= trial.shareBefore * HELPED_BELOW) {
      this.#trial = undefined;
      this.#usualShare = Math.min(this.#usualShare ?? 0, share);
    } else if (trial.isFirst) {
      this.#lower(share, takenPerMinute);
    } else {
      this.#trial = undefined;
      this.#takeForUsual(share);
      this.#perMinute = trial.perMinuteBefore;
    }
  }

  #raiseRate(sentPerMinute: number): void {
    if (this.#perMinute === undefined || sentPerMinute < this.#perMinute * USED_SHARE) return;
    this.#perMinute *= 1 + this.#raise;
    if (this.#perMinute * (1 + this.#raise) > this.#refusedAt * NEAR_REFUSED) this.#calmWindows += 1;
    const mayHurry = this.#calmWindows === 0 || this.#calmWindows >= CALM_WINDOWS;
    this.#raise = mayHurry ? Math.min(MAX_RAISE, this.#raise * 2) : FIRST_RAISE;
  }
}

function count(tally: Tally, accepted: boolean): void {
  if (accepted) tally.accepted += 1;
  else tally.refused += 1;
}

function outcomesOf({ accepted, refused }: Tally): number {
  return accepted + refused;
}
