import { z } from 'zod';
import { shapes } from './keyMeaning.ts';

const shapesExport = shapes('export');

/**
 * `dataset.preference`: which trajectories of a task are compared. The chosen side is a row of the dataset; the rejected
 * one was judged, so it is never one that could not be scored, and obeys its profile's grammar.
 */
export const preferenceConfigSchema = z.strictObject({
  by: z
    .enum(['answer', 'score'])
    .default('answer')
    .meta(
      shapesExport(
        'answer: a right answer against a wrong one; score: a higher score against a lower one, right or wrong',
      ),
    ),
  per_task: z.int().positive().default(1).meta(shapesExport('Most pairs of one task')),
  min_margin: z
    .number()
    .positive()
    .max(1)
    .default(0.1)
    .meta(shapesExport('by: score: least difference of the two scores, which are between 0 and 1')),
  max_length_ratio: z
    .number()
    .min(1)
    .nullable()
    .default(null)
    .meta(
      shapesExport(
        'Most times that the longer side may be as long as the shorter, in characters; the nearest in length are paired first; null: any',
      ),
    ),
});
export type PreferenceConfig = z.infer<typeof preferenceConfigSchema>;
