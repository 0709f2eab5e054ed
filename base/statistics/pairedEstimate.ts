import { sum } from '../sum.ts';
import { type Clustered, clusterSums } from './clusters.ts';
import { type Estimate, shareInterval, worthOf } from './estimates.ts';
import { studentTQuantile } from './studentT.ts';

/** Two players on the same tasks. */
export interface PairedEstimate extends Estimate {
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** {@link signFlipTest} of the clusters' differences. */
  readonly p: number;
  /** The least true difference that so many tasks would show in 80 of 100 cases; above 1 where they show none. */
  readonly leastDetectable: number;
}

/** A task's share of right samples by two players. */
export interface TaskPair extends Clustered {
  readonly a: number;
  readonly b: number;
}

/**
 * By how much player a is ahead of b: the mean difference by task, so that what makes a task hard cancels out. A
 * difference from -1 to 1 is a share from 0 to 1 for its interval, as in `figuresEstimate`; of one yes or no a task that
 * is nearly the interval of Bonett and Price (2012), who add a win and a loss.
 */
export function pairedEstimate(pairs: readonly TaskPair[]): PairedEstimate | undefined {
  if (pairs.length === 0) return undefined;
  const shares = pairs.map(({ a, b, cluster }) => ({
    value: (a - b + 1) / 2,
    ...(cluster !== undefined && { cluster }),
  }));
  const { mean, worth, error, clusters } = worthOf(shares);
  const { low, high } = shareInterval(mean, worth);
  const wins = pairs.filter(({ a, b }) => a > b).length;
  const losses = pairs.filter(({ a, b }) => a < b).length;
  const quantiles = studentTQuantile(0.975, clusters + 1) + studentTQuantile(0.8, clusters + 1);
  return {
    value: sum(pairs.map(({ a, b }) => a - b)) / pairs.length,
    low: 2 * low - 1,
    high: 2 * high - 1,
    wins,
    ties: pairs.length - wins - losses,
    losses,
    p: signFlipTest(clusterSums(pairs, ({ a, b }) => a - b)),
    leastDetectable: 2 * quantiles * error,
  };
}

/** Differences are told apart to this part of 1: exact for 1 to 10, 12, 14, 15 and 16 samples a task. */
const PARTS = 5_040;
/** Above so many steps in all the differences are told apart less finely. */
const MOST_STEPS = 100_000;

/**
 * The probability that the sum of differences is as far from 0 as it is, or farther, where each is as likely to be the
 * other way round: the two-sided exact sign-flip test (Fisher 1935; Pitman 1937). Clusters are turned as one. With one
 * yes or no a task and no clusters it is McNemar's exact test. 1 where all are 0.
 */
export function signFlipTest(differences: readonly number[]): number {
  const parts = differences.map((difference) => Math.round(difference * PARTS));
  const finest = parts.reduce(greatestDivisor, 0) || 1;
  const unit = Math.max(finest, sum(parts.map(Math.abs)) / MOST_STEPS);
  const steps = parts.map((part) => Math.round(part / unit));
  const most = sum(steps.map(Math.abs));
  const seen = Math.abs(sum(steps));
  // By the sum of those that are above 0 the sum of all is twice that less `most`.
  const chances = new Float64Array(most + 1);
  chances[0] = 1;
  for (const step of steps.map(Math.abs))
    for (let at = most; at >= 0; at--)
      chances[at] = (chances[at]! + (at < step ? 0 : chances[at - step]!)) / 2;
  return Math.min(1, sum(chances.filter((_, above) => Math.abs(2 * above - most) >= seen)));
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : greatestDivisor(b, a % b);
}
