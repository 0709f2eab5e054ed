import { sum } from '../sum.ts';
import { incompleteBeta, whereReached } from './beta.ts';
import { type Clustered, clusterSums, sumOfSquares } from './clusters.ts';

/** A figure and the bounds between which the truth lies in 95 of 100 cases. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One task's figure. Tasks of one cluster are not independent of each other. */
export interface TaskFigure extends Clustered {
  readonly value: number;
}

/** The share of tasks that are hits, one yes or no each. Undefined for no tasks. */
export function shareEstimate(hits: number, tasks: number): Estimate | undefined {
  return tasks === 0 ? undefined : shareInterval(hits / tasks, tasks);
}

/**
 * A share with its mid-P interval (Lancaster 1961; Berry and Armitage 1995), as of so many tasks with one yes or no
 * each: the bounds at which half the probability of what was seen, and all of what is beyond it, is 2.5%. Any number of
 * tasks above 0 will do: the binomial tails are incomplete beta functions. Of 2 to 40 tasks it holds the true share, from
 * 1% to 99%, in 96 to 99 of 100 cases on average and never in fewer than 92.7; Wilson's falls to 83, Clopper and
 * Pearson's rises to 97 to 99.7 (`bench/intervals.bench.ts`).
 */
export function shareInterval(share: number, tasks: number): Estimate {
  const hits = share * tasks;
  // The probability of more hits, and of half those with as many.
  const more = (of: number) =>
    (incompleteBeta(of, hits, tasks - hits + 1) + incompleteBeta(of, hits + 1, tasks - hits)) / 2;
  return {
    value: share,
    low: share <= 0 ? 0 : whereReached(more, 0.025, [0, share]),
    high: share >= 1 ? 1 : whereReached(more, 0.975, [share, 1]),
  };
}

/**
 * The mean of tasks' shares, each from 0 to 1, with the interval of {@link shareInterval} for as many independent yes or
 * no as the tasks are worth (an effective sample size, Kish 1965; Korn and Graubard 1998 put it into an exact interval).
 * One method for all, whether a task has one sample or many: 16 samples of a task are worth more than a yes or no, tasks
 * of one cluster less. Undefined for no tasks.
 */
export function figuresEstimate(tasks: readonly TaskFigure[]): Estimate | undefined {
  if (tasks.length === 0) return undefined;
  const { mean, worth } = worthOf(tasks);
  return shareInterval(mean, worth);
}

/** What tasks' shares say about their mean. */
export interface Worth {
  readonly mean: number;
  /** Independent yes or no that tell as much. */
  readonly worth: number;
  /** Standard error of the mean. */
  readonly error: number;
  readonly clusters: number;
}

/**
 * The design effect is the variance of the mean by clusters over that of independent yes or no, as if one cluster more
 * were all right and one all wrong (Agresti and Coull 1998 add such tasks): tasks that happen to agree don't make it 0.
 * Never fewer than the effective number of clusters (Kish 1965), the worth where all tasks of a cluster are alike.
 */
export function worthOf(tasks: readonly TaskFigure[]): Worth {
  const mean = sum(tasks.map(({ value }) => value)) / tasks.length;
  const sizes = clusterSums(tasks, () => 1);
  const size = tasks.length / sizes.length;
  const all = tasks.length + 2 * size;
  const middle = (mean * tasks.length + size) / all;
  const sums = [...clusterSums(tasks, ({ value }) => value - middle), size * middle, size * (1 - middle)];
  const designEffect = sumOfSquares(sums) / all / (middle * (1 - middle));
  const worth = Math.max(tasks.length / designEffect, tasks.length ** 2 / sumOfSquares(sizes));
  return { mean, worth, error: Math.sqrt((middle * (1 - middle)) / worth), clusters: sizes.length };
}

/**
 * The standard error of the mean over tasks, which counts clusters, not rows:
 * sqrt(C / (C - 1) x sum over clusters of (sum of deviations)^2) / n (Miller 2024, arXiv 2411.00640). NaN for fewer than
 * two clusters.
 */
export function standardError(tasks: readonly TaskFigure[]): number {
  const mean = sum(tasks.map(({ value }) => value)) / tasks.length;
  const sums = clusterSums(tasks, ({ value }) => value - mean);
  const clusters = sums.length;
  return clusters < 2
    ? Number.NaN
    : Math.sqrt((clusters / (clusters - 1)) * sumOfSquares(sums)) / tasks.length;
}
