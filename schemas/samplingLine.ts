import { z } from 'zod';
import { trajectorySamplingSchema } from './trajectory.ts';

/**
 * One line of `OUT.sampling.jsonl`, which a standalone command writes beside rows that are to be repeated or weighed.
 * The rows themselves leave as they came in: a repeated one stands so many times in the file.
 */
export const samplingLineSchema = z.object({
  /** Place of the row among all rows read, from 0. */
  index: z.int().nonnegative(),
  record_id: z.string(),
  /** Where it was read: path as given, row from 1. */
  file: z.string(),
  row: z.int().positive(),
  ...trajectorySamplingSchema.shape,
});
export type SamplingLine = z.infer<typeof samplingLineSchema>;
