import { z } from 'zod';

/** What the export stage emits for a row of the dataset; the row itself is in `dataset/`. */
export const sampleSchema = z.object({
  /** The trajectory's id. */
  id: z.string(),
  task_id: z.string(),
  /** Place in every file of the dataset, from 0. */
  row: z.int().nonnegative(),
  tokens: z.int().positive(),
  trained_tokens: z.int().positive(),
});
/** See {@link sampleSchema}. */
export type Sample = z.infer<typeof sampleSchema>;
