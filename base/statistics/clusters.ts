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

/**
 * How many tasks to add where a figure's spread is worked out as if a little more had been seen: as many as a cluster
 * has where the tasks of one are alike, the square root of that where they go their own ways.
 */
export function addedTasks<T extends Clustered>(tasks: readonly T[], figure: (task: T) => number): number {
  const sums = clusterSums(tasks, figure);
  const size = tasks.length / sums.length;
  const apart = sumOfSquares(tasks.map(figure));
  const alike = apart === 0 ? size : sumOfSquares(sums) / apart;
  return Math.sqrt(size * Math.min(size, Math.max(1, alike)));
}
