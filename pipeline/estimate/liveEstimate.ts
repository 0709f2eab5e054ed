import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import type { Amount } from '../../calls/budget/spendingLog.ts';
import type { PendingRollouts } from '../run/stageWork.ts';
import { forecastSum, type Interval, intervalOf, Moments } from './interval.ts';

/** Billed use of a rollout. */
export interface RolloutUse {
  costUsd: number;
  tokens: number;
}

export interface LiveEstimate {
  /** Rollouts in the sample: the first of each profile. */
  readonly seen: number;
  readonly costUsd: Interval;
  readonly tokens: Interval;
}

/** Size of the first cohort of a profile; each further cohort doubles. */
const FIRST_COHORT = 20;
/** Wider than the promised 95%, since use is more skewed than log-normal. */
const QUANTILE = 0.998;

interface Ended {
  readonly use: RolloutUse;
  /** False if the cache answered some of its calls; excluded from the sample. */
  readonly isWhole: boolean;
}

/**
 * Forecasts the billed use of all rollouts. Short rollouts finish first, so a mean over finished ones is too low while
 * others run. Instead it uses cohorts: the first 20, 40, 80, ... rollouts of a profile by start order, each once all of
 * them have finished. No forecast before every profile has a full cohort. `node bench/forecast.bench.ts` measures how
 * often the intervals hold.
 */
export class RolloutForecaster {
  readonly #pending: PendingRollouts;
  /** Rollouts pending at the session's start, by profile. */
  readonly #counts: Counts;
  readonly #courses = new Map<string, Course>();
  /** Finished rollouts behind a running one, by position. */
  readonly #waiting = new Map<number, Ended>();
  #next = 0;

  constructor(pending: PendingRollouts) {
    this.#pending = pending;
    this.#counts = Counts.of(pending.profiles);
    for (const profile of this.#counts.keys()) this.#courses.set(profile, new Course());
  }

  end(place: number, ended: Ended): void {
    this.#waiting.set(place, ended);
    const { places, profiles } = this.#pending;
    for (let first = this.#waiting.get(places[this.#next]!); first; ) {
      this.#waiting.delete(places[this.#next]!);
      this.#courses.get(profiles[this.#next]!)!.add(first);
      first = this.#waiting.get(places[++this.#next]!);
    }
    for (const course of this.#courses.values()) course.settle();
  }

  /** Undefined until every profile has a full cohort. */
  get forecast(): LiveEstimate | undefined {
    const parts = [...this.#counts].map(([profile, all]) => this.#courses.get(profile)!.sampled(all));
    const known = parts.filter((part) => part !== undefined);
    if (known.length < parts.length || known.length === 0) return undefined;
    const interval = (of: keyof RolloutUse) => {
      const sampled = known.map((part) => part.by(of));
      const taken = sum(sampled.map((part) => part.taken));
      const rest = forecastSum(sampled, QUANTILE);
      return intervalOf((bound) => taken + rest[bound]);
    };
    return {
      seen: sum(known.map(({ count }) => count)),
      costUsd: interval('costUsd'),
      tokens: interval('tokens'),
    };
  }
}

type Seen = Pick<Moments, 'count' | 'mean' | 'variance'>;

/** Rollouts of one profile in start order, up to the first that is still running. */
class Course {
  readonly #moments = { costUsd: new Moments(), tokens: new Moments() };
  #cohort: { readonly costUsd: Seen; readonly tokens: Seen } | undefined;
  #nextCohort = FIRST_COHORT;
  #aside = { count: 0, costUsd: 0, tokens: 0 };

  add({ use, isWhole }: Ended): void {
    const { costUsd, tokens } = this.#moments;
    if (!isWhole) {
      this.#aside.count++;
      this.#aside.costUsd += use.costUsd;
      this.#aside.tokens += use.tokens;
      return;
    }
    costUsd.add(use.costUsd);
    tokens.add(use.tokens);
    if (tokens.count === this.#nextCohort)
      this.#cohort = { costUsd: seenOf(costUsd), tokens: seenOf(tokens) };
  }

  /** Skips cohorts that complete at the same moment as a smaller one, since those are biased towards short rollouts. */
  settle(): void {
    while (this.#nextCohort <= this.#moments.tokens.count) this.#nextCohort *= 2;
  }

  /** Sample of the profile's `all` rollouts; undefined before the first cohort. */
  sampled(all: number) {
    const { count } = this.#moments.tokens;
    const isOver = count + this.#aside.count === all;
    const cohort = isOver ? this.#moments : this.#cohort;
    if (!cohort) return undefined;
    const left = all - this.#aside.count - cohort.tokens.count;
    return {
      count: cohort.tokens.count,
      by: (of: keyof RolloutUse) => ({
        ...{ seen: cohort[of], left },
        taken: cohort[of].count * cohort[of].mean + this.#aside[of],
      }),
    };
  }
}

/** Copies the current values. */
function seenOf({ count, mean, variance }: Moments): Seen {
  return { count, mean, variance };
}

interface Progress {
  /** Null if unknown. */
  readonly total: number | null;
  readonly done: number;
  /** Part of `done` from this session. */
  readonly doneNow: number;
  /** Billed so far over all sessions, and the part of this session's rollouts. */
  readonly billed: Amount;
  readonly used: Amount;
}

/** Forecasts the bill at the end of the rollout stage. */
export class BillEstimate {
  readonly #before: Amount;
  /** Resolves to undefined if the pending rollouts are unknown. */
  readonly #reading: Promise<RolloutForecaster | undefined>;
  #forecaster: RolloutForecaster | undefined;

  constructor(before: Amount, pending?: () => Promise<PendingRollouts>) {
    this.#before = before;
    // The stage itself reports an unreadable file; here it only prevents the forecast.
    this.#reading = Promise.resolve(pending?.())
      .then((rollouts) => rollouts && new RolloutForecaster(rollouts))
      .catch(() => undefined);
  }

  /** Adds a rollout; resolves once the forecast includes it. */
  async ended(...rollout: Parameters<RolloutForecaster['end']>): Promise<void> {
    this.#forecaster = await this.#reading;
    this.#forecaster?.end(...rollout);
  }

  /** Use outside of rollouts, such as the judge's, is scaled by finished rollouts. Undefined until enough is known. */
  at({ total, done, doneNow, billed, used }: Progress): LiveEstimate | undefined {
    const forecast = this.#forecaster?.forecast;
    if (!forecast || total === null || doneNow === 0 || total === done) return undefined;
    const share = (total - done + doneNow) / doneNow;
    const whole = (of: keyof Amount) => {
      const beside = this.#before[of] + (billed[of] - this.#before[of] - used[of]) * share;
      return intervalOf((bound) => Math.max(billed[of], beside + forecast[of][bound]));
    };
    return { ...forecast, costUsd: whole('costUsd'), tokens: whole('tokens') };
  }
}
