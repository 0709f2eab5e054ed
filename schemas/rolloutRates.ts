import { z } from 'zod';
import { figuresEstimate } from '../base/statistics/estimates.ts';
import { firstHitEstimates } from '../base/statistics/firstHits.ts';
import { type PassEstimate, passEstimates, risingBounds } from '../base/statistics/passAtK.ts';
import { sum } from '../base/sum.ts';
import type { PassRateLine } from './passRateLine.ts';
import { passRateOf } from './tryResult.ts';

const count = z.int().nonnegative();

/**
 * Rollouts by result. `unscored`: failed because of the endpoint, a tool, the sandbox or the judge; excluded from
 * rates.
 */
const resultsShape = { right: count, wrong: count, unscored: count };
const estimateShape = { value: z.number(), low: z.number(), high: z.number() };

/** Pass rates over several rollouts per task, by the definition in `tryResult.ts`. */
export const rolloutRatesSchema = z.object({
  /** Tasks with at least one rollout. */
  tasks: count,
  ...resultsShape,
  /** Wrong rollouts without an answer. */
  without_answer: count,
  /**
   * Second tries after a wrong answer, told that it was wrong; excluded from the other figures. Absent if there were
   * none.
   */
  second_tries: z.object(resultsShape).optional(),
  /** The same by mixture member; absent without a mixture. */
  by_member: z
    .array(
      z.object({
        member: z.string(),
        ...resultsShape,
        /** Over the member's tasks, as `pass_at`; null if none of its rollouts was scored. */
        pass_at_1: z.object(estimateShape).nullable(),
      }),
    )
    .optional(),
  /**
   * By k: the unbiased estimate over the tasks with at least k rollouts that were right or wrong, with its 95% interval for the rate of the
   * population that the tasks are of. Where rollouts end once enough are right, Kaplan and Meier's estimate of the share
   * of tasks of which one of the first k such rollouts is right, over the tasks with any; a k that no unsolved task
   * came to is absent.
   */
  pass_at: z.record(z.string(), z.object({ ...estimateShape, tasks: count })),
  /** Number of tasks by right and judged rollouts, in this order. */
  tasks_by_right: z.array(z.object({ right: count, scored: count, tasks: count })),
});
export type RolloutRates = z.infer<typeof rolloutRatesSchema>;

/** Pass rates of tasks; undefined if no task has several rollouts or a second try. */
export function rolloutRates(tasks: readonly PassRateLine[]): RolloutRates | undefined {
  const second = tasks.flatMap(({ second_tries }) => second_tries ?? []);
  const members = byMember(tasks);
  const hasSeveral = tasks.some(({ samples, unscored = 0 }) => samples + unscored > 1);
  if (second.length === 0 && !members && !hasSeveral) return undefined;
  return {
    tasks: tasks.length,
    ...resultsOf(tasks),
    without_answer: sum(tasks.map(({ without_answer = 0 }) => without_answer)),
    ...(second.length > 0 && { second_tries: resultsOf(second) }),
    ...(members && { by_member: members }),
    pass_at: passAt(tasks),
    tasks_by_right: tasksByRight(tasks),
  };
}

function resultsOf(
  tries: readonly Pick<PassRateLine, 'passed' | 'samples' | 'unscored'>[],
): z.infer<z.ZodObject<typeof resultsShape>> {
  return {
    right: sum(tries.map(({ passed }) => passed)),
    wrong: sum(tries.map(({ passed, samples }) => samples - passed)),
    unscored: sum(tries.map(({ unscored = 0 }) => unscored)),
  };
}

function passAt(tasks: readonly PassRateLine[]): RolloutRates['pass_at'] {
  const endWhenRight = tasks.some(({ first_right }) => first_right !== undefined);
  const ks = ksOf(tasks.reduce((most, { samples }) => Math.max(most, samples), 0));
  const judged = tasks.filter(({ samples }) => samples > 0);
  const estimates = endWhenRight
    ? risingBounds(ks, passByFirstRight(judged))
    : passEstimates(
        judged.map(({ samples, passed }) => ({ scored: samples, right: passed })),
        ks,
      );
  return Object.fromEntries(estimates);
}

/** For tasks whose rollouts stop after enough right ones: plain shares would be too high. */
function passByFirstRight(judged: readonly PassRateLine[]): (k: number) => PassEstimate | undefined {
  const estimateAt = firstHitEstimates(
    judged.map(({ samples, first_right }) => ({ tries: samples, hit: first_right })),
  );
  return (k) => {
    const estimate = estimateAt(k);
    return estimate && { ...estimate, tasks: judged.length };
  };
}

function byMember(tasks: readonly PassRateLine[]): RolloutRates['by_member'] {
  const names = [...new Set(tasks.flatMap(({ by_member = {} }) => Object.keys(by_member)))].sort();
  if (names.length === 0) return undefined;
  return names.map((member) => {
    const made = tasks.flatMap(({ by_member }) => by_member?.[member] ?? []);
    const rates = made.map(passRateOf).filter((rate) => rate !== undefined);
    const pass_at_1 = figuresEstimate(rates.map((value) => ({ value }))) ?? null;
    return { member, ...resultsOf(made), pass_at_1 };
  });
}

/** 1, 3, powers of two, and the maximum. */
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

/** One-line summary: `pass@1 0.42 (0.38 to 0.46), pass@8 0.7 (0.66 to 0.74): 500 tasks, ...`. */
export function rolloutNotice({
  tasks,
  right,
  wrong,
  unscored,
  without_answer,
  pass_at,
  second_tries,
}: RolloutRates): string {
  const rates = Object.entries(pass_at).map(
    ([k, { value, low, high }]) => `pass@${k} ${two(value)} (${two(low)} to ${two(high)})`,
  );
  const repaired =
    second_tries &&
    `; of ${second_tries.right + second_tries.wrong + second_tries.unscored} second tries, which are in no rate, ${second_tries.right} right, ${second_tries.wrong} wrong, ${second_tries.unscored} unscored`;
  const silent = without_answer > 0 ? ` (${without_answer} without an answer)` : '';
  const counts = `${tasks} tasks, ${right} rollouts right, ${wrong} wrong${silent}, ${unscored} unscored${repaired ?? ''}`;
  return rates.length === 0 ? counts : `${rates.join(', ')}: ${counts}`;
}

function two(share: number): string {
  return share.toFixed(2);
}

/** Summary line per mixture member: `strong: pass@1 0.81 (0.7 to 0.9), 40 right, 9 wrong, 1 unscored`. */
export function memberNotices({ by_member = [] }: RolloutRates): string[] {
  return by_member.map(({ member, right, wrong, unscored, pass_at_1: rate }) => {
    const pass = rate ? `pass@1 ${two(rate.value)} (${two(rate.low)} to ${two(rate.high)}), ` : '';
    return `${member}: ${pass}${right} right, ${wrong} wrong, ${unscored} unscored`;
  });
}
