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
} from '../schemas/rl/rewardExpression.ts';
import { type RewardPreset, rewardParts, rewardPresets, weightedPresets } from './rewardPresets.ts';

/** A reward of the user's own: it is given the task, the trajectory and the other parts, and says a number. */
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

/** `rl.rewards`: what a trajectory is worth, an expression of its parts. */
export const rlRewardsConfigSchema = sectionSchema.superRefine(refuseUnfitReward);
export type RlRewardsConfig = z.infer<typeof sectionSchema>;

/** What names parts that are not there, or weighs what is not a sum of parts. */
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

/** The reward of a configuration as one expression: parts of the user's own with a weight are added to it. */
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
