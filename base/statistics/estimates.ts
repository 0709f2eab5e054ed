import { sum } from '../sum.ts';
import { Z_95 } from './beta.ts';

/** An estimate with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One task's value. Tasks of one cluster are not independent. */
export interface TaskFigure extends Clustered {
  readonly value: number;
}

/** Share of tasks that are hits, one yes or no each. Undefined without tasks. */
export function shareEstimate(hits: number, tasks: number): Estimate | undefined {
  return tasks === 0 ? undefined : shareInterval(hits / tasks, tasks);
}

/**
 * A share with its score interval (Wilson 1927) for this many tasks with one yes or no each; fractions are allowed.
 * For random shares it covers the truth in 94 to 97 of 100 cases, for 2 tasks as for 40 (`bench/intervals.bench.ts`);
 * exact intervals cover it in 98 to 99.
 */
export function shareInterval(share: number, tasks: number): Estimate {
  const added = Z_95 ** 2 / tasks;
  const middle = (share + added / 2) / (1 + added);
  const half = (Z_95 * Math.sqrt((share * (1 - share) + added / 4) / tasks)) / (1 + added);
  return {
    value: share,
    low: Math.max(0, Math.min(share, middle - half)),
    high: Math.min(1, Math.max(share, middle + half)),
  };
}

export function figuresEstimate(tasks: readonly TaskFigure[]): Estimate | undefined {
  if (tasks.length === 0) return undefined;
  const mean = sum(tasks.map(({ value }) => value)) / tasks.length;
  return shareInterval(mean, worthOf(tasks, mean));
}

/** Weight of the added all-right cluster and of the all-wrong one in the design effect. */
const ADDED = 0.3;

/**
 * How many independent yes or no tell as much. The design effect is the variance of the mean by clusters over that of
 * independent yes or no, with a part of a cluster added that is all right and as much that is all wrong (Agresti and Coull
 * 1998 add such tasks): tasks that happen to agree don't make it 0. Never fewer than the effective number of clusters
 * (Kish 1965), the worth where all tasks of a cluster are alike.
 */
function worthOf(tasks: readonly TaskFigure[], mean: number): number {
  const sizes = clusterSums(tasks, () => 1);
  const size = tasks.length / sizes.length;
  const all = tasks.length + 2 * ADDED * size;
  const middle = (mean * tasks.length + ADDED * size) / all;
  const squares =
    sumOfSquares(clusterSums(tasks, ({ value }) => value - middle)) +
    ADDED * size ** 2 * (middle ** 2 + (1 - middle) ** 2);
  const designEffect = squares / all / (middle * (1 - middle));
  return Math.max(tasks.length / designEffect, tasks.length ** 2 / sumOfSquares(sizes));
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

/** Cluster of an item: a document, a family of questions. Absent: a cluster of its own. */
export interface Clustered {
  readonly cluster?: string;
}

/** Sum of a value per cluster, in order of first occurrence. */
export function clusterSums<T extends Clustered>(tasks: readonly T[], figure: (task: T) => number): number[] {
  const sums = new Map<string | number, number>();
  for (const [place, task] of tasks.entries()) {
    const key = task.cluster ?? place;
    sums.set(key, (sums.get(key) ?? 0) + figure(task));
  }
  return [...sums.values()];
}

export function sumOfSquares(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number * number, 0);
}

/**
 * Number of pseudo-tasks added when estimating a spread: the size of a cluster if its tasks are alike, its square
 * root if they are independent.
 */
export function addedTasks<T extends Clustered>(tasks: readonly T[], figure: (task: T) => number): number {
  const sums = clusterSums(tasks, figure);
  const size = tasks.length / sums.length;
  const apart = sumOfSquares(tasks.map(figure));
  const alike = apart === 0 ? size : sumOfSquares(sums) / apart;
  return Math.sqrt(size * Math.min(size, Math.max(1, alike)));
}
