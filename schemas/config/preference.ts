import { z } from 'zod';
import { keyOf, positive, positiveInt } from './keyMeaning.ts';

const exportKey = keyOf('export');

/**
 * `dataset.preference`: pairing of a task's trajectories. The chosen side is a row of the dataset; the rejected one
 * was scored, and follows its profile's grammar.
 */
export const preferenceConfigSchema = z.strictObject({
  by: exportKey(
    z.enum(['answer', 'score']).default('answer'),
    'answer: a right answer against a wrong one; score: a higher score against a lower one, right or wrong',
  ),
  per_task: exportKey(positiveInt.default(1), 'Most pairs of one task'),
  min_margin: exportKey(
    positive.max(1).default(0.1),
    'by: score: least difference of the two scores, which are between 0 and 1',
  ),
  max_length_ratio: exportKey(
    z.number().min(1).nullable().default(null),
    'Most times that the longer side may be as long as the shorter, in characters; the nearest in length are paired first; null: any',
  ),
});
export type PreferenceConfig = z.infer<typeof preferenceConfigSchema>;
