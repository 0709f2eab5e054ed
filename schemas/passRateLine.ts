import { z } from 'zod';

const count = z.int().nonnegative();

/**
 * A line of the file that `filters.difficulty` names, and of a dataset's `tasks.pass_rates.jsonl`. Several lines of one
 * task are added up.
 */
export const passRateLineSchema = z
  .object({
    /** Either the id that coa-distill gives the task, or the question. */
    task_id: z.string().min(1).optional(),
    question: z.string().min(1).optional(),
    /** Samples that solved it. */
    passed: count,
    /** Samples that were judged right or wrong. A task without any has no rate. */
    samples: count,
    /** Samples that nobody could judge: they failed, or had no verdict. In no rate. */
    unscored: count.optional(),
  })
  .refine(({ task_id, question }) => task_id !== undefined || question !== undefined, {
    message: 'expected task_id or question',
  })
  .refine(({ passed, samples }) => passed <= samples, { message: 'passed is more than samples' });
export type PassRateLine = z.infer<typeof passRateLineSchema>;
