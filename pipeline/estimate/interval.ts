import { studentTQuantile } from '../../base/statistics/beta.ts';
import { shareEstimate } from '../../base/statistics/estimates.ts';

/** What is expected, and the bounds between which it ends in 95 of 100 cases. */
export interface Interval {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** An interval by its bounds. */
export function intervalOf(value: (bound: keyof Interval) => number): Interval {
  return { low: value('low'), expected: value('expected'), high: value('high') };
}

/** Mean and spread of numbers, one after another (Welford's method). */
export class Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    const before = value - this.mean;
    this.mean += before / this.count;
    this.#squares += before * (value - this.mean);
  }

  /**
   * Sample variance, and no less than that of as many equal numbers with one more at 0 and one at twice their mean:
   * numbers that happen to be equal don't make it 0.
   */
  get variance(): number {
    const ofEqual = (2 * this.mean * this.mean) / (this.count + 1);
    return this.count < 2 ? ofEqual : Math.max(ofEqual, this.#squares / (this.count - 1));
  }
}

/** Numbers that were seen, and how many more of the same kind are to come. */
interface Sampled {
  readonly seen: Pick<Moments, 'count' | 'mean' | 'variance'>;
  readonly left: number;
}

/**
 * The sum of what is to come: a prediction interval, for both the new numbers and the mean that they are forecast by
 * are uncertain; Student's on the logarithm, so that it is never below 0. Kinds are forecast by themselves and added up.
 *
 * @param quantile share of the cases in which it is not above the upper bound
 */
export function forecastSum(kinds: readonly Sampled[], quantile = 0.975): Interval {
  const known = kinds.filter(({ seen }) => seen.count > 0);
  const expected = known.reduce((sum, { seen, left }) => sum + left * seen.mean, 0);
  const variance = known.reduce(
    (sum, { seen, left }) => sum + seen.variance * (left + (left * left) / seen.count),
    0,
  );
  const freedom = Math.max(
    1,
    known.reduce((sum, { seen }) => sum + seen.count - 1, 0),
  );
  if (expected === 0) return { low: 0, expected, high: 0 };
  const factor = Math.exp((studentTQuantile(quantile, freedom) * Math.sqrt(variance)) / expected);
  return { low: expected / factor, expected, high: expected * factor };
}

/** How many of `left` will be of a kind that `hits` of `seen` were: a share's interval, made wider by chance in the rest. */
export function forecastCount(hits: number, seen: number, left: number): Interval {
  const share = hits / seen;
  // An effective number of trials: what is forecast is itself a sample of `left`.
  const trials = 1 / (1 / seen + 1 / Math.max(1, left));
  const { low, high } = shareEstimate(share * trials, trials)!;
  return { low: Math.floor(left * low), expected: left * share, high: Math.ceil(left * high) };
}
