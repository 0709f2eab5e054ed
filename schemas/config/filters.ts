import { z } from 'zod';
import type { Profile } from '../coa/profile.ts';
import { secretKindSchema } from '../filterMeasures.ts';
import { filterPresetNames } from './filterPresets.ts';
import {
  inputPathSchema,
  key,
  keyOf,
  plainTextSchema,
  positiveInt,
  share,
  wholeNumber,
} from './keyMeaning.ts';

const filterKey = keyOf('filter');

/** `filters.reflection`: how many trajectories without a reflection stay (paper, stage 3). */
const reflectionFilterSchema = z.strictObject({
  rate: filterKey(
    share.default(1),
    'Share of the trajectories without reflection that stay; chosen by id and seed',
  ),
  drop_for: filterKey(
    z.array(plainTextSchema).default([]),
    'Profiles of which none without reflection stays, for instance [math, code]',
  ),
});

/** `filters.error_correction`: more of what found its own mistake (paper, stage 4). */
const errorCorrectionSchema = z.strictObject({
  repeats: filterKey(
    z.int().min(1).max(100).default(2),
    'Times that such a trajectory stands in the dataset',
  ),
  max_first_score: filterKey(
    z.int().min(1).max(4).default(2),
    'Highest score of a first double check that counts as low',
  ),
});

/** `filters.difficulty`: what the student or a base model can do already teaches it little. */
const difficultyFilterSchema = z.strictObject({
  file: filterKey(
    inputPathSchema,
    'Pass rates of the tasks: JSONL of {"task_id" or "question", "passed", "samples"}',
  ),
  min_pass_rate: filterKey(
    share.optional(),
    'Lowest share of samples that must have solved a task that is kept; absent: any',
  ),
  max_pass_rate: filterKey(
    share.default(0.3),
    'Highest share of samples that may have solved a task that is kept',
  ),
});

/** `filters.length`: bounds of a trajectory, both ends included. */
const lengthFilterSchema = z.strictObject({
  min_steps: filterKey(wholeNumber.optional(), 'Fewest actions; thinking and observations do not count'),
  max_steps: filterKey(wholeNumber.optional(), 'Most actions; absent: any number'),
  min_tokens: filterKey(
    wholeNumber.optional(),
    'Fewest tokens of its text by dataset.tokenizer, without the prompt',
  ),
  max_tokens: filterKey(
    wholeNumber.optional(),
    'Most tokens of its text by dataset.tokenizer, without the prompt',
  ),
});

/** `filters.secrets`: secrets and personal data in what tools showed. */
const secretsFilterSchema = z.strictObject({
  action: filterKey(
    z.enum(['flag', 'mask', 'drop']).default('mask'),
    'flag: count only; mask: put a placeholder in its place; drop: drop the trajectory',
  ),
  kinds: filterKey(
    z
      .array(secretKindSchema)
      .min(1)
      .default([...secretKindSchema.options]),
    'Kinds of secrets and personal data that are looked for',
  ),
});

/** What an interaction is, where `min_interactions` says it. */
const interactionCounts = ['tools', 'agents'] as const;

/** `filters.min_interactions` where it is more than one number. */
const interactionLimitsSchema = z
  .record(plainTextSchema, z.union([wholeNumber, z.enum(interactionCounts)]))
  .superRefine((limits, { addIssue }) => {
    for (const [key, value] of Object.entries(limits)) {
      if ((key === 'count') === (typeof value === 'string')) continue;
      const expected = key === 'count' ? interactionCounts.join(' or ') : 'a whole number';
      addIssue({ code: 'custom', path: [key], message: `expected ${expected}, got ${value}` });
    }
  });

/** The `filters` section: what a trajectory must be to be kept. */
export const filtersConfigSchema = z.strictObject({
  preset: key(
    z.enum(filterPresetNames).optional(),
    'afm: all four stages of progressive filtering, with the values of the paper; keys beside it win. What it sets shapes the stages',
  ),
  min_interactions: filterKey(
    z.union([wholeNumber, interactionLimitsSchema]).default({}),
    "Fewest interactions: one number, or one by profile and `default` for the others (absent: the profile's own); `count`: tools (tool calls that were answered, the default), or agents (actions: plans, tool calls, reflections, checks and answers)",
  ),
  max_redundant_tool_inputs: filterKey(
    wholeNumber.nullable().default(0),
    'Most tool inputs that repeat an earlier one; null: not looked at',
  ),
  tool_input_similarity: filterKey(
    z.number().min(0.5).max(1).nullable().default(0.9),
    'Least likeness of each pair of words of two queries that are nearly equal, in any order; 1: the same words; null: only equal inputs are redundant',
  ),
  duplicate_questions: keyOf('dedup')(
    z.enum(['drop', 'keep']).default('drop'),
    'Tasks that ask the same of the same profile: drop all but the first, or keep them',
  ),
  min_tests: keyOf('tasks', 'filter')(
    positiveInt.optional(),
    "Fewest tests that a program is judged by; tasks with fewer are dropped before a model is asked; absent: any number. The paper's have 50 and more on average",
  ),
  instruction_failures: filterKey(
    z.enum(['drop', 'keep']).default('drop'),
    'What is done with trajectories that do not follow their instructions, as a judge found',
  ),
  lint: filterKey(
    z.array(plainTextSchema).min(1).optional(),
    'Lint rules whose findings drop a trajectory, by id or as error, warning, all; absent: none',
  ),
  length: lengthFilterSchema.optional().describe('Bounds of a trajectory, both ends included; absent: none'),
  languages: filterKey(
    z
      .array(plainTextSchema.regex(/^[a-z]{2}$/, 'a code of two letters, as in ISO 639-1'))
      .min(1)
      .optional(),
    'Languages that the words of the model may be in, for instance [en, zh]; absent: any',
  ),
  secrets: secretsFilterSchema
    .optional()
    .describe('Secrets and personal data in what tools showed; absent: not looked for'),
  difficulty: difficultyFilterSchema
    .optional()
    .describe('Drops tasks that the student solves already; absent: none'),
  reflection: reflectionFilterSchema
    .optional()
    .describe('Trajectories without a reflection; absent: all stay'),
  error_correction: errorCorrectionSchema
    .optional()
    .describe('Repeats trajectories that corrected their own mistake; absent: none'),
});
export type FiltersConfig = z.infer<typeof filtersConfigSchema>;

/** What a trajectory of one profile must have. */
export interface InteractionLimit {
  readonly count: (typeof interactionCounts)[number];
  readonly least: number;
}

/** What `min_interactions` asks of a profile's trajectories. */
export function interactionLimit(
  limits: FiltersConfig['min_interactions'],
  { name, min_interactions }: Pick<Profile, 'name' | 'min_interactions'>,
): InteractionLimit {
  if (typeof limits === 'number') return { count: 'tools', least: limits };
  const least = [limits[name], limits.default].find((value) => typeof value === 'number');
  return { count: limits.count === 'agents' ? 'agents' : 'tools', least: least ?? min_interactions };
}

/** The profiles that `min_interactions` names. */
export function limitedProfiles(limits: FiltersConfig['min_interactions']): string[] {
  const keys = typeof limits === 'number' ? [] : Object.keys(limits);
  return keys.filter((key) => key !== 'count' && key !== 'default');
}
