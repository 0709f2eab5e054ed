/** What belongs to a cluster: a document, a family of questions. Absent: a cluster of its own. */
export interface Clustered {
  readonly cluster?: string;
}

/** The sum of a figure over each cluster, in the order in which the clusters come. */
export function clusterSums<T extends Clustered>(tasks: readonly T[], figure: (task: T) => number): number[] {
  const sums = new Map<string | number, number>();
  for (const [place, task] of tasks.entries()) {
    const key = task.cluster ?? place;
    sums.set(key, (sums.get(key) ?? 0) + figure(task));
  }
  return [...sums.values()];
}

/** The sum of the squares of some numbers. */
export function sumOfSquares(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number * number, 0);
}
