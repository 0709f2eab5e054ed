import { z } from 'zod';
import {
  plainTextSchema,
  serviceUrlSchema,
  shapesNothing,
  timerSecondsSchema,
  variableNameSchema,
} from './keyMeaning.ts';

/**
 * Parts of the reward that are always measured.
 *
 * | part | from 0 to 1 |
 * |---|---|
 * | `correctness` | the judge's verdict on the answer; 0 without an answer, and where the model wrote an observation itself |
 * | `format` | 1 where the whole trajectory keeps its profile's grammar and ends with the answer |
 * | `broken_format` | 1 where it does not |
 * | `overlong` | 0 up to 7/8 of the most response tokens, from there in line to 1 at the limit |
 * | `repetition` | share of the runs of 16 words in the model's text that stood in it before |
 * | `calls` | different tool calls by the most tool calls |
 */
export const rewardParts = [
  'correctness',
  'format',
  'broken_format',
  'overlong',
  'repetition',
  'calls',
] as const;

export type RewardPart = (typeof rewardParts)[number];

/**
 * Weights by name. `afm` is what AFM's scripts do, and what the paper says: the verdict alone, 0 or 1. The others are
 * forms that AFM's code has and its scripts leave unused.
 */
export const rewardPresets = {
  afm: { correctness: 1 },
  afm_format: { correctness: 0.9, format: 0.1 },
  afm_penalties: { correctness: 0.9, format: 0.1, broken_format: -1, repetition: -0.5, overlong: -1 },
} as const satisfies Readonly<Record<string, Partial<Record<RewardPart, number>>>>;

/** A reward of the user's own: it is given the task, the trajectory and the other parts, and says a number. */
const customRewardSchema = z
  .strictObject({
    url: serviceUrlSchema
      .optional()
      .meta(shapesNothing('Address that is sent the trajectory as JSON and answers {"score": number}')),
    command: z
      .array(plainTextSchema)
      .min(1)
      .optional()
      .meta(
        shapesNothing(
          'Program and arguments, started for each trajectory: JSON on standard input, {"score": number} on standard output',
        ),
      ),
    weight: z.number().meta(shapesNothing('Factor of its score in the reward')),
    api_key_env: variableNameSchema
      .optional()
      .meta(shapesNothing('Environment variable of the key that url is sent; absent: none')),
    timeout_s: timerSecondsSchema
      .positive()
      .default(60)
      .meta(shapesNothing('Seconds for an answer; without one the trajectory is unscored')),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
    message: 'exactly one of url and command',
  });

export type CustomReward = z.infer<typeof customRewardSchema>;

/** `rl.rewards`: what a trajectory is worth, the weighted sum of its parts. */
export const rlRewardsConfigSchema = z.strictObject({
  preset: z
    .enum(Object.keys(rewardPresets) as [keyof typeof rewardPresets])
    .default('afm')
    .meta(
      shapesNothing(
        "afm: the verdict alone, 0 or 1, as AFM's scripts and the paper; afm_format: 0.9 of it and 0.1 for the format; afm_penalties: also -1 for a broken format, -0.5 for repetition, -1 for length",
      ),
    ),
  weights: z
    .partialRecord(z.enum(rewardParts), z.number())
    .default({})
    .meta(
      shapesNothing(
        `Weights of parts in place of the preset's: ${rewardParts.join(', ')}, each from 0 to 1; penalties have negative weights`,
      ),
    ),
  correctness: z
    .enum(['verdict', 'score'])
    .default('verdict')
    .meta(
      shapesNothing(
        "verdict: 1 for a right answer, 0 for a wrong one; score: F1 of text, share of passed tests, share of the judge's votes",
      ),
    ),
  custom: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'lower-case letters, digits and underscores'),
      customRewardSchema,
    )
    .default({})
    .describe('Parts of your own, by name'),
});

export type RlRewardsConfig = z.infer<typeof rlRewardsConfigSchema>;
