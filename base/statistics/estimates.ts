import { fairCoinTest, studentTQuantile, Z_95 } from './studentT.ts';

/** A figure and the bounds between which the truth lies in 95 of 100 cases. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One task's figure. Tasks of one cluster (a document, a family of questions) are not independent of each other. */
export interface TaskFigure {
  readonly value: number;
  /** Absent: the task is a cluster of its own. */
  readonly cluster?: string;
}

/** The share of tasks that are hits, one yes or no each, with Wilson's interval. Undefined for no tasks. */
export function shareEstimate(hits: number, tasks: number): Estimate | undefined {
  return tasks === 0 ? undefined : wilsonInterval(hits / tasks, tasks);
}

/** A share with Wilson's interval (1927), as of so many tasks with one yes or no each. */
export function wilsonInterval(share: number, tasks: number): Estimate {
  const z2 = Z_95 * Z_95;
  const middle = (share + z2 / (2 * tasks)) / (1 + z2 / tasks);
  const half =
    (Z_95 / (1 + z2 / tasks)) * Math.sqrt((share * (1 - share)) / tasks + z2 / (4 * tasks * tasks));
  // Where none or all are hits the bounds are 0 and 1, but for the rounding.
  const low = share === 0 ? 0 : Math.max(0, middle - half);
  const high = share === 1 ? 1 : Math.min(1, middle + half);
  return { value: share, low, high };
}

/**
 * The mean over tasks, with the interval of Student's t on (clusters - 1) degrees. Its standard error counts clusters,
 * not rows: sqrt(C / (C - 1) x sum over clusters of (sum of deviations)^2) / n (Miller 2024, arXiv 2411.00640). Of one
 * cluster nothing is known: the bounds are infinite. Undefined for no tasks.
 */
export function meanEstimate(tasks: readonly TaskFigure[]): Estimate | undefined {
  if (tasks.length === 0) return undefined;
  const value = meanOf(tasks);
  const { error, clusters } = standardError(tasks, value);
  const half = clusters < 2 ? Number.POSITIVE_INFINITY : studentTQuantile(0.975, clusters - 1) * error;
  return { value, low: value - half, high: value + half };
}

/**
 * The mean of shares, each from 0 to 1: Wilson's interval where every task says yes or no by itself, Student's t by task
 * or cluster otherwise, cut where no mean of shares can be.
 */
export function figuresEstimate(tasks: readonly TaskFigure[]): Estimate | undefined {
  const isYesOrNo = tasks.every(
    ({ value, cluster }) => (value === 0 || value === 1) && cluster === undefined,
  );
  if (isYesOrNo) return shareEstimate(tasks.filter(({ value }) => value === 1).length, tasks.length);
  const mean = meanEstimate(tasks);
  return mean && { ...mean, low: Math.max(0, mean.low), high: Math.min(1, mean.high) };
}

/** The standard error of the mean over tasks, by clusters, and how many clusters there are. */
export function standardError(
  tasks: readonly TaskFigure[],
  mean = meanOf(tasks),
): { readonly error: number; readonly clusters: number } {
  const sums = [...clustersOf(tasks)].map((cluster) =>
    cluster.reduce((sum, { value }) => sum + value - mean, 0),
  );
  const clusters = sums.length;
  const squares = sums.reduce((sum, of) => sum + of * of, 0);
  const error = clusters < 2 ? Number.NaN : Math.sqrt((clusters / (clusters - 1)) * squares) / tasks.length;
  return { error, clusters };
}

/**
 * A figure of all tasks with a percentile interval by the bootstrap: whole clusters are drawn again and again, so that
 * it holds for ratios too (cost a solved task). Same seed, same bounds. Undefined for no tasks.
 *
 * @param draws how often; 2,000 tell the bounds to about a twentieth of their width
 */
export function bootstrapEstimate<T extends { readonly cluster?: string }>(
  tasks: readonly T[],
  figure: (tasks: readonly T[]) => number,
  { seed, draws = 2_000 }: { readonly seed: number; readonly draws?: number },
): Estimate | undefined {
  if (tasks.length === 0) return undefined;
  const clusters = clustersOf(tasks);
  const random = seededRandom(seed);
  const drawn = Array.from({ length: draws }, () =>
    figure(clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)]!)),
  )
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return { value: figure(tasks), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** Two players on the same tasks. */
export interface PairedEstimate extends Estimate {
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** Exact McNemar test for tasks with one yes or no each: the probability of so uneven a split by chance. */
  readonly mcnemarP: number;
  /** The least true difference that so many tasks would show in 80 of 100 cases; NaN for fewer than two clusters. */
  readonly leastDetectable: number;
}

/** A task's figure by two players. */
export interface TaskPair {
  readonly a: number;
  readonly b: number;
  readonly cluster?: string;
}

/** Quantile of the standard normal distribution for a power of 80%. */
const Z_POWER = 0.8416212335729143;

/** By how much player a is ahead of b: the mean difference by task, so that what makes a task hard cancels out. */
export function pairedEstimate(pairs: readonly TaskPair[]): PairedEstimate | undefined {
  const differences = pairs.map(({ a, b, cluster }) => ({
    value: a - b,
    ...(cluster !== undefined && { cluster }),
  }));
  const mean = meanEstimate(differences);
  if (!mean) return undefined;
  const wins = differences.filter(({ value }) => value > 0).length;
  const losses = differences.filter(({ value }) => value < 0).length;
  return {
    ...mean,
    wins,
    ties: pairs.length - wins - losses,
    losses,
    mcnemarP: fairCoinTest(wins, wins + losses),
    leastDetectable: (Z_95 + Z_POWER) * standardError(differences).error,
  };
}

function meanOf(tasks: readonly TaskFigure[]): number {
  return tasks.reduce((sum, { value }) => sum + value, 0) / tasks.length;
}

function clustersOf<T extends { readonly cluster?: string }>(tasks: readonly T[]): T[][] {
  const clusters = new Map<string | number, T[]>();
  for (const [place, task] of tasks.entries()) {
    const key = task.cluster ?? place;
    const cluster = clusters.get(key);
    if (cluster) cluster.push(task);
    else clusters.set(key, [task]);
  }
  return [...clusters.values()];
}

/** As numpy's default: between neighbours in proportion. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Mulberry32: numbers from 0 to 1 that depend on the seed alone. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
