import { z } from 'zod';

/** What the export stage emits for a trajectory that is in the dataset; its rows themselves are in `dataset/`. */
export const sampleSchema = z.object({
  /** The trajectory's id. */
  id: z.string(),
  task_id: z.string(),
  /** Which of the task's rollouts it is made of, from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  split: z.enum(['train', 'validation']),
  /** Place of its first row among those of its split, from 0, the same in every format. */
  row: z.int().nonnegative(),
  /** How many rows it is, one behind the other; absent for one. */
  repeats: z.int().min(2).optional(),
  tokens: z.int().positive(),
  trained_tokens: z.int().positive(),
  /** What was cut off the end of a row that was too long; absent when nothing was. */
  cut: z.object({ segments: z.int().positive(), tokens: z.int().positive() }).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;
