import { sum } from '../sum.ts';
import { studentTQuantile } from './beta.ts';
import { addedTasks, type Clustered, clusterSums, type Estimate, sumOfSquares } from './estimates.ts';

/** Amount that a task took, and its count; both at least 0. */
export interface Amount extends Clustered {
  readonly amount: number;
  readonly count: number;
}

/**
 * Amount per count: all amounts over all counts, such as tokens per right sample; with a count of 1 per task it is
 * the mean over tasks. The standard error is that of a ratio (Cochran 1977, 6.3) by clusters, with two
 * pseudo-clusters of {@link addedTasks} each, one at 0 and one at twice the ratio: equal tasks do not make it 0. The
 * interval is Student's on the logarithm, so that no bound is below 0, and longer on the skewed side (Johnson 1978;
 * Hall 1992). A ratio of 0 has no upper bound. Undefined without a count.
 */
export function ratioEstimate(tasks: readonly Amount[]): Estimate | undefined {
  const counted = sum(tasks.map(({ count }) => count));
  if (counted === 0) return undefined;
  const total = sum(tasks.map(({ amount }) => amount));
  const value = total / counted;
  if (total === 0) return { value, low: 0, high: Number.POSITIVE_INFINITY };
  // Relative to the mean amount per task.
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

/** Skewness of the mean of numbers around 0: the third moment's share; 0 if all are 0. */
function skewness(deviations: readonly number[]): number {
  const squares = sumOfSquares(deviations);
  return squares === 0 ? 0 : sum(deviations.map((of) => of ** 3)) / squares ** 1.5;
}
