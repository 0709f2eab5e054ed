import { z } from 'zod';

/** Reason of a reviewer's rejection. Only `wrong_answer` states that the answer is wrong. */
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

/** Review of a record, without author and time. */
export const reviewWordSchema = z.object({
  /** `unset`: no verdict, or a withdrawn one. */
  verdict: z.enum(['accept', 'reject', 'unset']),
  /** Reason of a rejection. */
  reason: reviewReasonSchema.optional(),
  note: z.string().min(1).max(4_000).optional(),
});

/** A line of `reviews.jsonl`. The last line of an author for a record replaces earlier ones. */
export const reviewLineSchema = z
  .object({
    /** Id of the reviewed trajectory. */
    record_id: z.string().min(1).max(200),
    task_id: z.string().min(1).max(200),
    /** Rollout number from 0; absent for the first. */
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
