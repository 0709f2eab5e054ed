import { z } from 'zod';
import { trajectorySamplingSchema } from './trajectory.ts';

/**
 * One line of `OUT.sampling.jsonl`, written by a standalone command next to rows to repeat or weight. The rows
 * themselves are unchanged: a repeated one occurs that many times in the file.
 */
export const samplingLineSchema = z.object({
  /** Index among all rows read, from 0. */
  index: z.int().nonnegative(),
  record_id: z.string(),
  /** Source: path as given, row from 1. */
  file: z.string(),
  row: z.int().positive(),
  ...trajectorySamplingSchema.shape,
});
export type SamplingLine = z.infer<typeof samplingLineSchema>;
