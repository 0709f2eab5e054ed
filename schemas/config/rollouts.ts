import { z } from 'zod';
import { keyOf, positiveInt } from './keyMeaning.ts';

/** Maximum rollouts; it also numbers the second tries. */
const MOST_ROLLOUTS = 1_000;
const rolloutKey = keyOf('rollout');
const count = positiveInt.max(MOST_ROLLOUTS);

const untilSchema = z
  .union([
    z.literal('first_correct'),
    z.strictObject({ n_correct: rolloutKey(count, 'Correct rollouts of a task that are enough') }),
  ])
  .describe(
    "Further rollouts of a task start only until so many are correct by the judge, or can't be decided by it: first_correct, or {n_correct: 2}; absent: all are made",
  );

/** `teacher.rollouts`: a fixed number, or until enough are right. */
export const rolloutsConfigSchema = z
  .union([
    count,
    z
      .strictObject({
        min: rolloutKey(count.default(1), 'Fewest rollouts of a task'),
        max: rolloutKey(count, 'Most rollouts of a task'),
        until: untilSchema.optional(),
      })
      .refine(({ min, max }) => min <= max, { path: ['min'], message: 'expected at most max' })
      .refine(({ until, max }) => correctOnes(until) <= max, {
        path: ['until'],
        message: 'expected n_correct of at most max',
      }),
  ])
  .default(1)
  .describe('How often each task is rolled out: a number, or {min, max, until}');

/** `teacher.on_wrong`: reaction to a rollout that the judge finds wrong. */
export const onWrongSchema = z
  .enum(['hint', 'rationalise'])
  .refine((chosen): chosen is 'hint' => chosen !== 'rationalise', {
    message:
      'expected hint, which says that the first try was wrong and never the answer; rationalise is refused: a teacher that is shown the right answer writes it into its reasoning as if it had found it',
  })
  .optional();

/** Number of rollouts per task. */
export interface RolloutPlan {
  readonly min: number;
  readonly max: number;
  /** Number of right rollouts that suffices; absent: all `max` are made. */
  readonly correct?: number;
  /** True if each wrong rollout is followed by a second try; default: no. */
  readonly secondTries?: true;
}

/** Keys of `teacher` for the number of rollouts. */
interface RolloutSettings {
  readonly rollouts: z.infer<typeof rolloutsConfigSchema>;
  readonly on_wrong?: 'hint' | undefined;
}

/** Rollout plan of `teacher.rollouts` and `teacher.on_wrong`. */
export function rolloutPlan({ rollouts, on_wrong }: RolloutSettings): RolloutPlan {
  const more = on_wrong && { secondTries: true as const };
  if (typeof rollouts === 'number') return { min: rollouts, max: rollouts, ...more };
  const { min, max, until } = rollouts;
  return until === undefined
    ? { min: max, max, ...more }
    : { min, max, correct: correctOnes(until), ...more };
}

/** Maximum rollouts of a task, second tries included: the second try of rollout `r` has the number `max + r`. */
export function mostRollouts({ max, secondTries }: RolloutPlan): number {
  return secondTries ? 2 * max : max;
}

/** True if verdicts determine the number of rollouts. */
export function dependsOnJudge({ correct, secondTries }: RolloutPlan): boolean {
  return correct !== undefined || secondTries === true;
}

function correctOnes(until: z.infer<typeof untilSchema> | undefined): number {
  if (until === undefined) return 0;
  return until === 'first_correct' ? 1 : until.n_correct;
}
