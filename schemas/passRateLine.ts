import { z } from 'zod';

const count = z.int().nonnegative();
/** Tries by how they ended (`tryResult.ts`). */
const triesSchema = z.object({
  passed: count,
  samples: count,
  unscored: count,
  without_answer: count,
});

/**
 * A line of the file that `filters.pass_rate.from` names, and of a dataset's `tasks.pass_rates.jsonl`. Several lines of one
 * task are added up.
 */
export const passRateLineSchema = z
  .object({
    /** Either the id that coa-distill gives the task, or the question. */
    task_id: z.string().min(1).optional(),
    question: z.string().min(1).optional(),
    /** Samples that solved it. */
    passed: count,
    /** Samples that were right or wrong. A task without any has no rate. */
    samples: count,
    /** Samples of which nothing is known: the endpoint, a tool, the sandbox or the judge failed. In no rate. */
    unscored: count.optional(),
    /** Wrong samples that gave no answer: malformed, cut off, refused, out of steps. */
    without_answer: count.optional(),
    /**
     * Where rollouts end once enough are right: the place of the first right one among those that were right or wrong,
     * from 1. Shares of such rollouts are too high for a rate.
     */
    first_right: z.int().positive().optional(),
    /** The same by the member of a mixture of teachers that made them. */
    by_member: z.record(z.string(), triesSchema).optional(),
    /** Second tries, told that the first was wrong: in no rate, for they are not independent samples. */
    second_tries: triesSchema.optional(),
  })
  .refine(({ task_id, question }) => task_id !== undefined || question !== undefined, {
    message: 'expected task_id or question',
  })
  .refine(({ passed, samples }) => passed <= samples, { message: 'passed is more than samples' });
export type PassRateLine = z.infer<typeof passRateLineSchema>;
