import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

/** A judge's finding. An undecided judge gives no verdict: that is the failure `unscored`. */
export const verdictSchema = z.object({
  subject: z.enum(['answer', 'suggested_answer', 'instructions']),
  /** Judging rule or model, such as `exact_match`, `number`, `tests`. */
  judge: z.string(),
  judgement: z.enum(['correct', 'incorrect']),
  /** Between 0 and 1: F1 for text, share of passed tests for programs, share of a model's votes, 0 or 1 otherwise. */
  score: z.number().min(0).max(1),
  evidence: jsonObjectSchema,
  /** Indices of segments (from 0) not to imitate, such as a wrong first answer; absent without any. */
  marked_segments: z.array(z.int().nonnegative()).min(1).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;
