import { z } from 'zod';
import { figuresEstimate } from '../base/statistics/estimates.ts';
import { passAtK } from '../base/statistics/passAtK.ts';
import type { PassRateLine } from './passRateLine.ts';

const count = z.int().nonnegative();

/** How often tasks were solved by several rollouts each. A rollout that nobody could judge is in no rate. */
export const rolloutRatesSchema = z.object({
  /** Tasks that a rollout was made of. */
  tasks: count,
  right: count,
  wrong: count,
  /** Rollouts that failed, or whose answer nobody could judge. */
  unscored: count,
  /** By k: the unbiased estimate over the tasks with at least k judged rollouts, with its 95% interval by task. */
  pass_at: z.record(
    z.string(),
    z.object({ value: z.number(), low: z.number(), high: z.number(), tasks: count }),
  ),
  /** How many tasks had so many right rollouts of so many that were judged, in this order. */
  tasks_by_right: z.array(z.object({ right: count, scored: count, tasks: count })),
});
export type RolloutRates = z.infer<typeof rolloutRatesSchema>;

/** Sums up the pass rates of tasks; undefined where no task has more than one rollout. */
export function rolloutRates(tasks: readonly PassRateLine[]): RolloutRates | undefined {
  if (!tasks.some(({ samples, unscored = 0 }) => samples + unscored > 1)) return undefined;
  const sum = (of: (task: PassRateLine) => number) => tasks.reduce((total, task) => total + of(task), 0);
  return {
    tasks: tasks.length,
    right: sum(({ passed }) => passed),
    wrong: sum(({ passed, samples }) => samples - passed),
    unscored: sum(({ unscored = 0 }) => unscored),
    pass_at: passAt(tasks),
    tasks_by_right: tasksByRight(tasks),
  };
}

function passAt(tasks: readonly PassRateLine[]): RolloutRates['pass_at'] {
  const estimates: RolloutRates['pass_at'] = {};
  for (const k of ksOf(tasks.reduce((most, { samples }) => Math.max(most, samples), 0))) {
    const figures = tasks.flatMap(({ samples, passed }) => {
      const value = passAtK(samples, passed, k);
      return value === undefined ? [] : [{ value }];
    });
    const { value, low, high } = figuresEstimate(figures)!;
    // Of a single task nothing is known: Student's bounds are infinite, which JSON can't say.
    const bounds = { low: Math.max(0, low), high: Math.min(1, high) };
    estimates[k] = { value, ...bounds, tasks: figures.length };
  }
  return estimates;
}

/** 1, 3, the powers of two, and the most there is. */
function ksOf(most: number): number[] {
  return [1, 2, 3, 4, 8, 16, 32, 64, 128].filter((k) => k < most).concat(most > 0 ? [most] : []);
}

function tasksByRight(tasks: readonly PassRateLine[]): RolloutRates['tasks_by_right'] {
  const counts = new Map<string, RolloutRates['tasks_by_right'][number]>();
  for (const { passed: right, samples: scored } of tasks) {
    const key = `${right} ${scored}`;
    counts.set(key, { right, scored, tasks: (counts.get(key)?.tasks ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => a.scored - b.scored || a.right - b.right);
}

/** The rates in one line: `pass@1 0.42 (0.38 to 0.46), pass@8 0.7 (0.66 to 0.74): 500 tasks, ...`. */
export function rolloutNotice({ tasks, right, wrong, unscored, pass_at }: RolloutRates): string {
  const rates = Object.entries(pass_at).map(
    ([k, { value, low, high }]) => `pass@${k} ${two(value)} (${two(low)} to ${two(high)})`,
  );
  const counts = `${tasks} tasks, ${right} rollouts right, ${wrong} wrong, ${unscored} unscored`;
  return rates.length === 0 ? counts : `${rates.join(', ')}: ${counts}`;
}

function two(share: number): string {
  return share.toFixed(2);
}
