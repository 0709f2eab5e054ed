import { z } from 'zod';
import { filterKeys } from '../filters/filterRules.ts';
import { filterPresetNames } from './filterPresets.ts';
import { key, keyOf } from './keyMeaning.ts';

const filterKey = keyOf('filter');

/** `filters.error_correction`: more trajectories that corrected their own errors (paper, stage 4). */
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

/** The `filters` section: conditions for keeping a trajectory. Most keys belong to rules. */
export const filtersConfigSchema = z.strictObject({
  preset: key(
    z.enum(filterPresetNames).optional(),
    'afm: all four stages of progressive filtering, with the values of the paper; keys beside it win. What it sets shapes the stages',
  ),
  ...filterKeys,
  duplicate_questions: keyOf('dedup')(
    z.enum(['drop', 'keep']).default('drop'),
    'Tasks that ask the same of the same profile: drop all but the first, or keep them',
  ),
  error_correction: errorCorrectionSchema
    .optional()
    .describe('Repeats trajectories that corrected their own mistake; absent: none'),
});
export type FiltersConfig = z.infer<typeof filtersConfigSchema>;
