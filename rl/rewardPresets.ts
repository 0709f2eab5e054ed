import { type RewardExpression, weightedSum } from '../schemas/rl/rewardExpression.ts';

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
 * | `repeats` | 1 where two blocks of the model say the same to the letter, answers left out (AFM's `verify_format_repetition`) |
 * | `code_format` | 1 where every call of code is one fenced py block, and at most one sh block behind it; also without any call |
 * | `calls` | different tool calls by the most tool calls |
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

/** The presets that are a sum of weighted parts. */
export const weightedPresets = {
  afm: { correctness: 1 },
  afm_format: { correctness: 0.9, format: 0.1 },
  afm_repetition: { correctness: 1, repeats: -0.5 },
  afm_overlong: { correctness: 1, overlong: -1 },
  afm_penalties: { correctness: 0.9, format: 0.1, broken_format: -1, repetition: -0.5, overlong: -1 },
} as const satisfies Readonly<Record<string, Partial<Record<RewardPart, number>>>>;

const overlong = weightedSum(weightedPresets.afm_overlong);
const codeOfPaper = { product: ['correctness', 'code_format'] };

/** Every other preset. */
const otherPresets = {
  afm_repetition_gate: { gate: 'repeats', open: -1, closed: 'correctness' },
  afm_toolstar: { gate: 'format', open: overlong, closed: -1 },
  // Without a call of code the form is not kept either.
  afm_codetag: { gate: { product: ['code_format', 'calls'] }, open: overlong, closed: 0 },
  afm_code_paper: codeOfPaper,
  afm_code_paper_overlong: { sum: [codeOfPaper, { product: [-1, 'overlong'] }] },
} as const satisfies Readonly<Record<string, RewardExpression>>;

/**
 * Rewards by name. Those of AFM's scripts and of the paper's web agent are `afm`; `_paper` are the paper's for code;
 * `afm_penalties` puts AFM's penalties together; the others are forms that AFM's code has and its scripts leave unused.
 * A test holds the source of each.
 */
export const rewardPresets: Readonly<Record<RewardPreset, RewardExpression>> = {
  ...(Object.fromEntries(
    Object.entries(weightedPresets).map(([name, weights]) => [name, weightedSum(weights)]),
  ) as Record<keyof typeof weightedPresets, RewardExpression>),
  ...otherPresets,
};
/** Name of a reward. */
export type RewardPreset = keyof typeof weightedPresets | keyof typeof otherPresets;
