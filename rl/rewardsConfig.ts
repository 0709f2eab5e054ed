import { z } from 'zod';
import {
  inputPath,
  key,
  noPath,
  serviceUrl,
  timerSeconds,
  variableName,
} from '../schemas/config/keyMeaning.ts';
import {
  partNameSchema,
  partsIn,
  type RewardExpression,
  rewardExpressionSchema,
  weightedSum,
} from './records/rewardExpression.ts';

/**
 * Parts of the reward that are always measured.
 *
 * | part | from 0 to 1 |
 * |---|---|
 * | `correctness` | the judge's verdict on the answer; 0 without an answer, and if the model wrote an observation itself |
 * | `format` | 1 if the whole trajectory follows its profile's grammar and ends with the answer |
 * | `broken_format` | 1 if it does not |
 * | `overlong` | 0 up to 7/8 of the maximum response tokens, then linear to 1 at the maximum |
 * | `repetition` | share of the 16-word sequences in the model's text that occurred before |
 * | `repeats` | 1 if two blocks of the model are identical, except answers (AFM's `verify_format_repetition`) |
 * | `code_format` | 1 if every call of code has one py block, and at most one sh block after it; also without any call |
 * | `calls` | distinct tool calls divided by the maximum tool calls |
 */
export const rewardParts = [
  'correctness',
  'format',
  'broken_format',
  'overlong',
  'repetition',
  'repeats',
  'code_format',
  'calls',
] as const;

export type RewardPart = (typeof rewardParts)[number];

/** Presets that are a weighted sum of parts. */
const weightedPresets = {
  afm: { correctness: 1 },
  afm_format: { correctness: 0.9, format: 0.1 },
  afm_repetition: { correctness: 1, repeats: -0.5 },
  afm_overlong: { correctness: 1, overlong: -1 },
  afm_penalties: { correctness: 0.9, format: 0.1, broken_format: -1, repetition: -0.5, overlong: -1 },
} as const satisfies Readonly<Record<string, Partial<Record<RewardPart, number>>>>;

const overlong = weightedSum(weightedPresets.afm_overlong);
const codeOfPaper = { product: ['correctness', 'code_format'] };

const otherPresets = {
  afm_repetition_gate: { gate: 'repeats', open: -1, closed: 'correctness' },
  afm_toolstar: { gate: 'format', open: overlong, closed: -1 },
  // The format counts as broken without a call of code.
  afm_codetag: { gate: { product: ['code_format', 'calls'] }, open: overlong, closed: 0 },
  afm_code_paper: codeOfPaper,
  afm_code_paper_overlong: { sum: [codeOfPaper, { product: [-1, 'overlong'] }] },
} as const satisfies Readonly<Record<string, RewardExpression>>;

/**
 * Rewards by name. `afm` presets are those of AFM's scripts and of the paper's web agent; `_paper` those of the paper
 * for code; `afm_penalties` combines AFM's penalties; the others exist in AFM's code but not in its scripts. A test
 * contains the source of each.
 */
export const rewardPresets: Readonly<Record<RewardPreset, RewardExpression>> = {
  ...(Object.fromEntries(
    Object.entries(weightedPresets).map(([name, weights]) => [name, weightedSum(weights)]),
  ) as Record<keyof typeof weightedPresets, RewardExpression>),
  ...otherPresets,
};
export type RewardPreset = keyof typeof weightedPresets | keyof typeof otherPresets;

/** User-defined reward: receives the task, the trajectory and the other parts, and returns a number. */
const customRewardSchema = z
  .strictObject({
    url: key(serviceUrl.optional(), 'Address that gets the trajectory as JSON, answers {"score": number}'),
    module: key(inputPath.optional(), 'Code of your own instead of url: docs/own-code.md'),
    weight: key(
      z.number().optional(),
      'Factor of its score, which is added to the reward; absent: rl.rewards.reward names it',
    ),
    api_key_env: key(variableName.optional(), 'Environment variable of the key for url; absent: none'),
    timeout_s: key(timerSeconds.positive().default(60), 'Seconds for an answer; then it is unscored'),
  })
  .refine(({ url, module }) => (url === undefined) !== (module === undefined), {
    message: 'exactly one of url and module',
  });

export type CustomReward = z.infer<typeof customRewardSchema>;

const sectionSchema = z.strictObject({
  preset: key(
    z.enum(Object.keys(rewardPresets) as [RewardPreset]).default('afm'),
    "afm: the verdict alone, 0 or 1, as AFM's scripts and the paper for web; afm_format: 0.9 of it and 0.1 for the format; afm_penalties: also -1 for a broken format, -0.5 for repetition, -1 for length; afm_code_paper: the verdict times the form of code calls; the others: docs/agentic-rl.md",
  ),
  reward: key(
    z
      .union([z.number(), partNameSchema, z.record(z.string(), z.unknown())])
      .meta(noPath)
      .pipe(rewardExpressionSchema)
      .optional(),
    "Reward in place of the preset's: a number, a part's name, {sum: [...]}, {product: [...]}, or {gate: ..., open: ..., closed: ...}, which is open above 0",
  ),
  weights: key(
    z.partialRecord(z.enum(rewardParts), z.number()).default({}),
    `Weights of parts in place of those of a preset that adds parts: ${rewardParts.join(', ')}, each from 0 to 1; penalties have negative weights`,
  ),
  correctness: key(
    z.enum(['verdict', 'score']).default('verdict'),
    "verdict: 1 for a right answer, 0 for a wrong one; score: F1 of text, share of passed tests, share of the judge's votes",
  ),
  custom: z.record(partNameSchema, customRewardSchema).default({}).describe('Parts of your own, by name'),
});

/** `rl.rewards`: reward of a trajectory, an expression of its parts. */
export const rlRewardsConfigSchema = sectionSchema.superRefine(refuseUnfitReward);
export type RlRewardsConfig = z.infer<typeof sectionSchema>;

/** Rejects unknown parts, and weights for a reward that is no sum of parts. */
function refuseUnfitReward(
  { preset, reward, weights, custom }: RlRewardsConfig,
  context: z.core.$RefinementCtx<RlRewardsConfig>,
): void {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const known = [...rewardParts, ...Object.keys(custom)];
  const named = partsIn(reward ?? 0);
  for (const name of named.filter((one) => !known.includes(one)))
    refuse(['reward'], `a part: ${known.join(', ')}; got ${name}`);
  if (Object.keys(weights).length > 0 && (reward !== undefined || weightsOf(preset) === undefined))
    refuse(
      ['weights'],
      `weights only beside a preset that adds parts (${Object.keys(weightedPresets).join(', ')}); write the whole reward as rl.rewards.reward`,
    );
  for (const [name, { weight }] of Object.entries(custom))
    if (weight === undefined && !named.includes(name))
      refuse(['custom', name, 'weight'], 'a number, since rl.rewards.reward does not name this part');
}

/** Configured reward as one expression; adds weighted user-defined parts. */
export function rewardExpression({ preset, reward, weights, custom }: RlRewardsConfig): RewardExpression {
  const own = Object.entries(custom).flatMap(([name, { weight = 0 }]) =>
    weight === 0 ? [] : [[name, weight] as const],
  );
  const added = Object.fromEntries(own);
  const weighted = reward === undefined ? weightsOf(preset) : undefined;
  if (weighted) return weightedSum({ ...weighted, ...weights, ...added });
  const base = reward ?? rewardPresets[preset];
  return own.length === 0 ? base : { sum: [base, weightedSum(added)] };
}

function weightsOf(preset: RewardPreset): Readonly<Record<string, number>> | undefined {
  return Object.entries(weightedPresets).find(([name]) => name === preset)?.[1];
}
