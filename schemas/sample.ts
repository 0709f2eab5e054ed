import { z } from 'zod';

/** Record emitted by the export stage for a trajectory in the dataset; the rows themselves are in `dataset/`. */
export const sampleSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  /** Rollout number from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  split: z.enum(['train', 'validation']),
  /** Index of its first row in its split, from 0, the same in every format. */
  row: z.int().nonnegative(),
  /** Number of its consecutive rows; absent for one. */
  repeats: z.int().min(2).optional(),
  tokens: z.int().positive(),
  trained_tokens: z.int().positive(),
  /** Truncated end of a row that was too long; absent otherwise. */
  cut: z.object({ segments: z.int().positive(), tokens: z.int().positive() }).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;
