import { studentTQuantile } from '../../base/statistics/beta.ts';
import { shareEstimate } from '../../base/statistics/estimates.ts';

/** Expected value and 95% bounds. */
export interface Interval {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

export function intervalOf(value: (bound: keyof Interval) => number): Interval {
  return { low: value('low'), expected: value('expected'), high: value('high') };
}

/** Running mean and variance (Welford's method). */
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
   * Sample variance with a lower bound, so that a few equal numbers do not give 0: as if one more were 0 and one twice
   * the mean.
   */
  get variance(): number {
    const ofEqual = (2 * this.mean * this.mean) / (this.count + 1);
    return this.count < 2 ? ofEqual : Math.max(ofEqual, this.#squares / (this.count - 1));
  }
}

interface Sampled {
  readonly seen: Pick<Moments, 'count' | 'mean' | 'variance'>;
  readonly left: number;
}

/**
 * Forecasts a sum as a prediction interval, which covers the uncertainty of both the mean and the new numbers. Uses
 * Student's t on the logarithm, so that it stays above 0. Kinds are forecast separately and added.
 *
 * @param quantile share of cases below the upper bound
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

/** Forecasts how many of `left` will be hits: interval of a proportion, widened by the sampling of the rest. */
export function forecastCount(hits: number, seen: number, left: number): Interval {
  const share = hits / seen;
  // Effective number of trials, since the forecast is itself about a sample of `left`.
  const trials = 1 / (1 / seen + 1 / Math.max(1, left));
  const { low, high } = shareEstimate(share * trials, trials)!;
  return { low: Math.floor(left * low), expected: left * share, high: Math.ceil(left * high) };
}
