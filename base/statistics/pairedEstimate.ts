import { sum } from '../sum.ts';
import { studentTQuantile, Z_95 } from './beta.ts';
import { addedTasks, type Clustered, clusterSums, type Estimate, sumOfSquares } from './estimates.ts';

/** Comparison of two players on the same tasks. */
export interface PairedEstimate extends Estimate {
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** {@link signFlipTest} of the clusters' differences. */
  readonly p: number;
  /** Minimum true difference that this many tasks would detect in 80 of 100 cases; above 1 if none. */
  readonly leastDetectable: number;
}

/** A task's share of right samples for each of two players. */
export interface TaskPair extends Clustered {
  readonly a: number;
  readonly b: number;
}

/**
 * Lead of player a over b: the mean difference by task, so that task difficulty cancels out. The interval is the
 * normal one with three pseudo-tasks added, two ties and one half win, half loss (Agresti and Min 2005 add two such
 * tasks), so that players who agree on all tasks do not make it 0. Clusters are the unit; each pseudo-task has the
 * size given by {@link addedTasks}.
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

/** Resolution of differences in parts of 1: exact for 1 to 10, 12, 14, 15 and 16 samples a task. */
const PARTS = 5_040;
/** Maximum total steps; above it the resolution is reduced. */
const MOST_STEPS = 100_000;

/**
 * Two-sided exact sign-flip test (Fisher 1935; Pitman 1937): the probability of a sum of differences at least as far
 * from 0 if each sign is equally likely. Clusters flip as one. With one yes or no per task and no clusters it equals
 * McNemar's exact test. 1 if all differences are 0.
 */
export function signFlipTest(differences: readonly number[]): number {
  const parts = differences.map((difference) => Math.round(difference * PARTS));
  const finest = parts.reduce(greatestDivisor, 0) || 1;
  const unit = Math.max(finest, sum(parts.map(Math.abs)) / MOST_STEPS);
  const steps = parts.map((part) => Math.round(part / unit));
  const most = sum(steps.map(Math.abs));
  const seen = Math.abs(sum(steps));
  // With s the sum of the positive ones, the total is 2s - `most`.
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
