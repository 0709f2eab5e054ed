import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import { jsonObjectSchema } from '../../base/json.ts';
import { dropReasonSchema } from '../../schemas/dropReasons.ts';
import { formSchema, operationSchema, synthesisSchema } from '../../schemas/taskSynthesis.ts';

/** One attempt to make a candidate harder. */
const roundSchema = z.strictObject({
  op: operationSchema,
  form: formSchema,
  /** Why it was taken back; absent where it stayed. */
  reason: dropReasonSchema.optional(),
  evidence: jsonObjectSchema.optional(),
});
export type Round = z.infer<typeof roundSchema>;

/** What may become a task: from stage `seeds` on to stage `write`. */
export const candidateSchema = synthesisSchema.extend({
  id: z.string(),
  /** Id of the document of its first fact. */
  task_id: z.string(),
  /** Absent until it is written. */
  question: z.string().optional(),
  /** The answer as its document writes it, then its other spellings. */
  answers: z.array(z.string()).min(1),
  profile: z.string(),
  rounds: z.array(roundSchema),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** A candidate with the id of what it asks: the question's words and verdicts are no part of it. */
export function identified(candidate: Omit<Candidate, 'id'>): Candidate {
  const { form, answers, profile, chain } = candidate;
  return { ...candidate, id: contentId('candidate', { form, answers, profile, first: chain[0] }) };
}
