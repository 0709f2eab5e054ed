import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';

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

/** A segment that is not to be trained. */
const markedSegmentSchema = z.object({
  /** Its place among the segments of the trajectory, from 0. */
  index: z.int().nonnegative(),
  /** SHA-256 of its text as UTF-8: a record that was changed since is noticed. */
  text_sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type MarkedSegment = z.infer<typeof markedSegmentSchema>;

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
    /** Absent when none. */
    segments: z.array(markedSegmentSchema).min(1).max(100_000).optional(),
  })
  .refine(({ verdict, reason }) => (verdict === 'reject') === (reason !== undefined), {
    path: ['reason'],
    error: 'a rejection has a reason, and nothing else has one',
  });
export type ReviewLine = z.infer<typeof reviewLineSchema>;

export function markOf(index: number, text: string): MarkedSegment {
  return { index, text_sha256: sha256Hex(text) };
}
