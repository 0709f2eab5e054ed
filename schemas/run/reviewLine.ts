import { z } from 'zod';

/** Why a reviewer leaves a record out of the dataset. Only `wrong_answer` says that its answer is wrong. */
const reviewReasonSchema = z.enum([
  'wrong_answer',
  'lucky_answer',
  'bad_reasoning',
  'bad_tool_use',
  'bad_task',
  'unsafe',
  'other',
]);
export type ReviewReason = z.infer<typeof reviewReasonSchema>;

/** A reviewer's name: one line without control characters. */
export const reviewAuthorSchema = z
  .string()
  .regex(/^\S(?:[^\p{C}]{0,98}\S)?$/u, 'a name of at most 100 characters on one line');

/** What a reviewer says of a record, beside who and when. */
export const reviewWordSchema = z.object({
  /** `unset`: no verdict, or one that is taken back. */
  verdict: z.enum(['accept', 'reject', 'unset']),
  /** Of a rejection. */
  reason: reviewReasonSchema.optional(),
  note: z.string().min(1).max(4_000).optional(),
});

/** A line of `reviews.jsonl`. Of one author's lines on a record the last one counts, whole. */
export const reviewLineSchema = z
  .object({
    /** Id of the trajectory that was looked at. */
    record_id: z.string().min(1).max(200),
    task_id: z.string().min(1).max(200),
    /** Which of the task's rollouts it is of, from 0; absent for the first. */
    rollout: z.int().positive().optional(),
    author: reviewAuthorSchema,
    /** ISO 8601, UTC. */
    at: z.iso.datetime(),
    ...reviewWordSchema.shape,
  })
  .refine(({ verdict, reason }) => (verdict === 'reject') === (reason !== undefined), {
    path: ['reason'],
    error: 'a rejection has a reason, and nothing else has one',
  });
export type ReviewLine = z.infer<typeof reviewLineSchema>;
