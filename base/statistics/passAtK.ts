import { type Clustered, type Estimate, figuresEstimate } from './estimates.ts';

/**
 * Unbiased probability that at least one of k samples is right, given c right of n: 1 - C(n-c, k) / C(n, k) (arXiv
 * 2107.03374).
 * @returns undefined where fewer than k samples are scored
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : 1 - drawn(n, n - c, k);
}

/** Probability that k of n, drawn without replacement, are all among `of` given ones. */
function drawn(n: number, of: number, k: number): number {
  let share = 1;
  for (let at = 0; at < k; at++) share *= Math.max(0, of - at) / (n - at);
  return share;
}

/** Scored samples of a task, and the right ones. */
export interface ScoredSamples extends Clustered {
  readonly scored: number;
  readonly right: number;
}

/** pass@k with its number of tasks. */
export interface PassEstimate extends Estimate {
  readonly tasks: number;
}

/**
 * pass@k by k, ascending: the mean of {@link passAtK} over the tasks with k scored samples. The interval is that of
 * `figuresEstimate`, made monotonic in k. A k without such tasks is absent.
 */
export function passEstimates(
  tasks: readonly ScoredSamples[],
  ks: readonly number[],
): Map<number, PassEstimate> {
  return risingBounds(ks, (k) => {
    const figures = tasks.flatMap(({ scored, right, cluster }) => {
      const value = passAtK(scored, right, k);
      return value === undefined ? [] : [{ value, ...(cluster !== undefined && { cluster }) }];
    });
    const estimate = figuresEstimate(figures);
    return estimate && { ...estimate, tasks: figures.length };
  });
}

/** pass^k by k, like {@link passEstimates}: all k samples are right. */
export function passPowerEstimates(
  tasks: readonly ScoredSamples[],
  ks: readonly number[],
): Map<number, PassEstimate> {
  const wrong = tasks.map(({ right, ...task }) => ({ ...task, right: task.scored - right }));
  const estimates = [...passEstimates(wrong, ks)];
  return new Map(
    estimates.map(([k, { value, low, high, tasks: of }]) => [
      k,
      { value: 1 - value, low: 1 - high, high: 1 - low, tasks: of },
    ]),
  );
}

/** Makes estimates that rise with k monotonic: no bound is below that of a smaller k over as many tasks. */
export function risingBounds(
  ks: readonly number[],
  estimateAt: (k: number) => PassEstimate | undefined,
): Map<number, PassEstimate> {
  const estimates = new Map<number, PassEstimate>();
  let before: PassEstimate | undefined;
  for (const k of ks) {
    const own = estimateAt(k);
    if (!own) continue;
    const { low, high } = before?.tasks === own.tasks ? before : own;
    before = { ...own, low: Math.max(low, own.low), high: Math.max(high, own.high) };
    estimates.set(k, before);
  }
  return estimates;
}
