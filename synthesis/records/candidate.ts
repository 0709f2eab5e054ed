import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import { jsonObjectSchema } from '../../base/json.ts';
import { dropReasonSchema } from '../../schemas/dropReasons.ts';
import { formSchema, operationSchema, synthesisSchema } from '../../schemas/taskSynthesis.ts';

const roundSchema = z.strictObject({
  op: operationSchema,
  form: formSchema,
  /** Reason for taking it back; absent if it was kept. */
  reason: dropReasonSchema.optional(),
  evidence: jsonObjectSchema.optional(),
});
export type Round = z.infer<typeof roundSchema>;

/** Potential task, from stage `seeds` to stage `write`. */
export const candidateSchema = synthesisSchema.extend({
  id: z.string(),
  /** Id of the document of its first fact. */
  task_id: z.string(),
  /** Absent until the stage `grow` has written it. */
  question: z.string().optional(),
  /** Answer as written in its document, followed by other spellings. */
  answers: z.array(z.string()).min(1),
  profile: z.string(),
  rounds: z.array(roundSchema),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** Adds the id, which depends only on the form: wording and verdicts are excluded. */
export function identified(candidate: Omit<Candidate, 'id'>): Candidate {
  const { form, answers, profile, chain } = candidate;
  return { ...candidate, id: contentId('candidate', { form, answers, profile, first: chain[0] }) };
}
