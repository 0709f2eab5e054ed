import { z } from 'zod';

/** A line of the file that `filters.difficulty` names. Several lines of one task are added up. */
export const passRateLineSchema = z
  .object({
    /** Either the id that coa-distill gives the task, or the question. */
    task_id: z.string().min(1).optional(),
    question: z.string().min(1).optional(),
    /** Samples that solved it. */
    passed: z.int().nonnegative(),
    samples: z.int().positive(),
  })
  .refine(({ task_id, question }) => task_id !== undefined || question !== undefined, {
    message: 'expected task_id or question',
  })
  .refine(({ passed, samples }) => passed <= samples, { message: 'passed is more than samples' });
export type PassRateLine = z.infer<typeof passRateLineSchema>;
