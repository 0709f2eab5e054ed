import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import type { Amount } from '../../calls/budget/spendingLog.ts';
import type { PendingRollouts } from '../run/stageWork.ts';
import { forecastSum, type Interval, intervalOf, Moments } from './interval.ts';

/** What a rollout was billed. */
export interface RolloutUse {
  costUsd: number;
  tokens: number;
}

/** Use of rollouts at their end. */
export interface LiveEstimate {
  /** Rollouts that it is made from: the first of each profile. */
  readonly seen: number;
  readonly costUsd: Interval;
  readonly tokens: Interval;
}

/** Rollouts of a profile's first cohort; each further one is twice as large. */
const FIRST_COHORT = 20;
/** Wider than the 95% that are promised: what tasks take is more skewed than the logarithm makes even. */
const QUANTILE = 0.998;

/** How a rollout ended. */
interface Ended {
  readonly use: RolloutUse;
  /** False where the cache answered some of its calls: it stands for no other. */
  readonly isWhole: boolean;
}

/**
 * Forecasts what rollouts will have been billed at their end. The first to end are the shortest: a mean of those that
 * have ended is too low for as long as others are under way. So it is made from cohorts: the first 20, 40, 80, ...
 * rollouts of a profile in the order in which they begin, each once all of them have ended. Nothing is said before every
 * profile has one. `node bench/forecast.bench.ts` says how often the intervals hold.
 */
export class RolloutForecaster {
  readonly #pending: PendingRollouts;
  /** Of all rollouts that are pending at the session's begin, by profile. */
  readonly #counts: Counts;
  readonly #courses = new Map<string, Course>();
  /** Those behind a rollout that is under way, by their place. */
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

  /** Undefined while nothing can be told. */
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

/** The rollouts of one profile in their order, those behind one that is under way left out. */
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

  /** The next cohort is larger than what is there: one that is complete at the same moment as a smaller one is of short ones. */
  settle(): void {
    while (this.#nextCohort <= this.#moments.tokens.count) this.#nextCohort *= 2;
  }

  /** What was seen of the profile's `all` rollouts, and how many are as those; undefined while none is known. */
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

/** As they are now; they go on. */
function seenOf({ count, mean, variance }: Moments): Seen {
  return { count, mean, variance };
}

interface Progress {
  /** Null where it is not known. */
  readonly total: number | null;
  readonly done: number;
  /** Of `done`, those of this session. */
  readonly doneNow: number;
  /** Billed by now, in earlier sessions too, and of it this session's rollouts. */
  readonly billed: Amount;
  readonly used: Amount;
}

/** Estimates what a run will have been billed at the end of its rollout stage. */
export class BillEstimate {
  readonly #before: Amount;
  /** Resolves to undefined where it is not known which rollouts are to come. */
  readonly #reading: Promise<RolloutForecaster | undefined>;
  #forecaster: RolloutForecaster | undefined;

  constructor(before: Amount, pending?: () => Promise<PendingRollouts>) {
    this.#before = before;
    // An unreadable file stops the stage itself; here it only leaves no estimate.
    this.#reading = Promise.resolve(pending?.())
      .then((rollouts) => rollouts && new RolloutForecaster(rollouts))
      .catch(() => undefined);
  }

  /** Adds a rollout; resolves once the estimate holds it. */
  async ended(...rollout: Parameters<RolloutForecaster['end']>): Promise<void> {
    this.#forecaster = await this.#reading;
    this.#forecaster?.end(...rollout);
  }

  /** Use beside rollouts, as the judge's, grows with the rollouts that have ended. Undefined while too little is known. */
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
