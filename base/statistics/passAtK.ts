import { type Clustered, type Estimate, figuresEstimate } from './estimates.ts';

/**
 * The probability that at least one of k samples of a task is right, from c right ones of n, unbiased:
 * 1 - C(n-c, k) / C(n, k) (arXiv 2107.03374).
 *
 * @returns undefined where fewer than k samples are scored
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  return n < k ? undefined : 1 - drawn(n, n - c, k);
}

/** The probability that k of n, drawn without putting back, are all among `of` certain ones. */
function drawn(n: number, of: number, k: number): number {
  let share = 1;
  for (let at = 0; at < k; at++) share *= Math.max(0, of - at) / (n - at);
  return share;
}

/** A task's samples that were scored, and those that were right. */
export interface ScoredSamples extends Clustered {
  readonly scored: number;
  readonly right: number;
}

/** pass@k, and how many tasks it is of. */
export interface PassEstimate extends Estimate {
  readonly tasks: number;
}

/**
 * pass@k by k, in rising order: the mean of {@link passAtK} over the tasks with k scored samples. Their interval is that
 * of `figuresEstimate` for every k, and rises with it. A k that no task has samples for is absent.
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

/** pass^k by k, as {@link passEstimates}: all of k samples are right, that is, not one of them is wrong. */
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

/** Estimates of what rises with k: no bound is below that of a smaller k that is of as many tasks. */
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
