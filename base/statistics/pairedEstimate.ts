import { sum } from '../sum.ts';
import { studentTQuantile, Z_95 } from './beta.ts';
import { addedTasks, type Clustered, clusterSums, type Estimate, sumOfSquares } from './estimates.ts';

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
 * By how much player a is ahead of b: the mean difference by task, so that what makes a task hard cancels out. The
 * interval is the normal one with three tasks added, two of them ties, one half a win and half a loss (Agresti and Min
 * 2005 add two such tasks), so that players who happen to agree don't make it 0. Tasks of a cluster count together; by
 * {@link addedTasks} so much is added for each of the three.
 */
export function pairedEstimate(pairs: readonly TaskPair[]): PairedEstimate | undefined {
  if (pairs.length === 0) return undefined;
  const { value, middle, error, clusters } = withAddedTasks(pairs);
  const wins = pairs.filter(({ a, b }) => a > b).length;
  const losses = pairs.filter(({ a, b }) => a < b).length;
  const freedom = Math.max(1, clusters - 1);
  const quantiles = studentTQuantile(0.975, freedom) + studentTQuantile(0.8, freedom);
  return {
    value,
    low: Math.max(-1, Math.min(value, middle - Z_95 * error)),
    high: Math.min(1, Math.max(value, middle + Z_95 * error)),
    wins,
    ties: pairs.length - wins - losses,
    losses,
    p: signFlipTest(clusterSums(pairs, ({ a, b }) => a - b)),
    leastDetectable: quantiles * error,
  };
}

function withAddedTasks(pairs: readonly TaskPair[]) {
  const differences = pairs.map(({ a, b, ...task }) => ({ ...task, value: a - b }));
  const total = sum(differences.map(({ value }) => value));
  const clusters = clusterSums(pairs, () => 1).length;
  const added = addedTasks(differences, ({ value }) => value);
  const all = pairs.length + 3 * added;
  const middle = total / all;
  const squares =
    sumOfSquares(clusterSums(differences, ({ value }) => value - middle)) +
    added ** 2 * (((1 - middle) ** 2 + (1 + middle) ** 2) / 2 + 2 * middle ** 2);
  return { value: total / pairs.length, middle, error: Math.sqrt(squares) / all, clusters };
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
