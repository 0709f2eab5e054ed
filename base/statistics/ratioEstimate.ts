import { sum } from '../sum.ts';
import { studentTQuantile } from './beta.ts';
import { addedTasks, type Clustered, clusterSums, type Estimate, sumOfSquares } from './estimates.ts';

/** What a task took, and of how many things: none of both below 0. */
export interface Amount extends Clustered {
  readonly amount: number;
  readonly count: number;
}

/**
 * What a thing took: all amounts over all counts, such as tokens over right samples; with a count of 1 a task it is the
 * mean over tasks. The standard error is that of a ratio (Cochran 1977, 6.3) by clusters, as if two more had been seen,
 * of {@link addedTasks} each, one at nothing and one at twice the ratio: tasks that happen to be equal don't make it 0.
 * The interval is Student's on the logarithm, so that no bound is below 0, longer where the tasks are skewed to (Johnson
 * 1978; Hall 1992). Of 0 there is no upper bound. Undefined without a count.
 */
export function ratioEstimate(tasks: readonly Amount[]): Estimate | undefined {
  const counted = sum(tasks.map(({ count }) => count));
  if (counted === 0) return undefined;
  const total = sum(tasks.map(({ amount }) => amount));
  const value = total / counted;
  if (total === 0) return { value, low: 0, high: Number.POSITIVE_INFINITY };
  // Relative to the mean amount of a task.
  const deviation = ({ amount, count }: Amount) => (amount - value * count) / (total / tasks.length);
  const deviations = clusterSums(tasks, deviation);
  const clusters = deviations.length + 2;
  const added = addedTasks(tasks, deviation);
  const squares = sumOfSquares(deviations) + 2 * added ** 2;
  const error = Math.sqrt((squares * clusters) / (clusters - 1)) / (tasks.length + 2 * added);
  const t = studentTQuantile(0.975, clusters);
  const skew = skewness(deviations) * ((2 * t * t + 1) / 6);
  return {
    value,
    low: value * Math.exp(-(t + Math.max(0, -skew)) * error),
    high: value * Math.exp((t + Math.max(0, skew)) * error),
  };
}

/** Skewness of the mean of numbers around 0: the third moment's share; 0 where all are 0. */
function skewness(deviations: readonly number[]): number {
  const squares = sumOfSquares(deviations);
  return squares === 0 ? 0 : sum(deviations.map((of) => of ** 3)) / squares ** 1.5;
}
