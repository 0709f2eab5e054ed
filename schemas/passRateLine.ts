import { z } from 'zod';

const count = z.int().nonnegative();
/** Tries by result (`tryResult.ts`). */
const triesSchema = z.object({
  passed: count,
  samples: count,
  unscored: count,
  without_answer: count,
});

/**
 * A line of the file in `filters.pass_rate.from`, and of a dataset's `tasks.pass_rates.jsonl`. Several lines of one
 * task are summed.
 */
export const passRateLineSchema = z
  .object({
    /** Either coa-distill's id of the task, or the question. */
    task_id: z.string().min(1).optional(),
    question: z.string().min(1).optional(),
    /** Right samples. */
    passed: count,
    /** Right and wrong samples. A task without any has no rate. */
    samples: count,
    /**
     * Samples without a result because the endpoint, a tool, the sandbox or the judge failed; excluded from rates.
     */
    unscored: count.optional(),
    /** Wrong samples without an answer: malformed, truncated, refused, out of steps. */
    without_answer: count.optional(),
    /**
     * If rollouts stop once enough are right: position of the first right one among the scored ones, from 1. Plain
     * shares of such rollouts are too high.
     */
    first_right: z.int().positive().optional(),
    /** The same by mixture member. */
    by_member: z.record(z.string(), triesSchema).optional(),
    /** Second tries, told that the first was wrong: excluded from rates, since they are not independent samples. */
    second_tries: triesSchema.optional(),
  })
  .refine(({ task_id, question }) => task_id !== undefined || question !== undefined, {
    message: 'expected task_id or question',
  })
  .refine(({ passed, samples }) => passed <= samples, { message: 'passed is more than samples' });
export type PassRateLine = z.infer<typeof passRateLineSchema>;
