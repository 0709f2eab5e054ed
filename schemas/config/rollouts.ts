import { z } from 'zod';
import { shapes } from './keyMeaning.ts';

/** More would be a mistake: the places of a task's rollouts are counted by it. */
const MOST_ROLLOUTS = 1_000;
const shapesRollout = shapes('rollout');
const count = z.int().positive().max(MOST_ROLLOUTS);

const untilSchema = z
  .union([
    z.literal('first_correct'),
    z.strictObject({ n_correct: count.meta(shapesRollout('Correct rollouts of a task that are enough')) }),
  ])
  .describe(
    'Further rollouts of a task start only until so many are correct by the judge: first_correct, or {n_correct: 2}; absent: all are made',
  );

/** `teacher.rollouts`: a number, or as many as it takes. */
export const rolloutsConfigSchema = z
  .union([
    count,
    z
      .strictObject({
        min: count.default(1).meta(shapesRollout('Fewest rollouts of a task')),
        max: count.meta(shapesRollout('Most rollouts of a task')),
        until: untilSchema.optional(),
      })
      .refine(({ min, max }) => min <= max, { path: ['min'], message: 'expected at most max' })
      .refine(({ until, max }) => correctOnes(until) <= max, {
        path: ['until'],
        message: 'expected n_correct of at most max',
      }),
  ])
  .default(1)
  .meta({ description: 'How often each task is rolled out: a number, or {min, max, until}', unsaid: 1 });

/** How often a task is rolled out. */
export interface RolloutPlan {
  readonly min: number;
  readonly max: number;
  /** Rollouts that are enough when the judge finds so many correct; absent: all `max` are made. */
  readonly correct?: number;
}

/** What `teacher.rollouts` asks for. */
export function rolloutPlan({
  rollouts,
}: {
  readonly rollouts: z.infer<typeof rolloutsConfigSchema>;
}): RolloutPlan {
  if (typeof rollouts === 'number') return { min: rollouts, max: rollouts };
  const { min, max, until } = rollouts;
  return until === undefined ? { min: max, max } : { min, max, correct: correctOnes(until) };
}

function correctOnes(until: z.infer<typeof untilSchema> | undefined): number {
  if (until === undefined) return 0;
  return until === 'first_correct' ? 1 : until.n_correct;
}
