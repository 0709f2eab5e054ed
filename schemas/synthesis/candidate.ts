import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import { jsonObjectSchema } from '../../base/json.ts';
import { dropReasonSchema } from '../dropReasons.ts';
import { factSchema } from './fact.ts';
import { formSchema } from './form.ts';

/** How a form is made: one fact asked for, or one step more. */
export const operationNames = ['atomic', 'depth', 'intersect', 'compare', 'count', 'blur'] as const;
export const operationSchema = z.enum(operationNames);
export type Operation = z.infer<typeof operationSchema>;

/** One fact that the answer needs, with the operation that brought it in. */
export const chainStepSchema = factSchema.extend({ op: operationSchema });
export type ChainStep = z.infer<typeof chainStepSchema>;

/** A check that was made. One that was not made is absent: never `pass`. */
export const checkVerdictSchema = z.strictObject({
  /** The check's name, from the table of checks. */
  name: z.string(),
  verdict: z.enum(['pass', 'fail']),
  /** Of a check that asks a model: tries that came out as `name` asks about, of all that did not fail. */
  passed: z.int().nonnegative().optional(),
  tries: z.int().positive().optional(),
  request_hashes: z.array(z.string()).optional(),
  evidence: jsonObjectSchema.optional(),
});
export type CheckVerdict = z.infer<typeof checkVerdictSchema>;

/** What solving took, measured; absent where it was not. */
export const effortSchema = z.strictObject({
  /** Tool calls of the right try that needed fewest. */
  tool_calls: z.int().nonnegative().optional(),
  /** Its call, from 1, that first showed the answer. */
  first_seen_at: z.int().positive().optional(),
  /** Whether one search by the question's own words shows the answer. */
  one_search: z.boolean().optional(),
  closed_book_pass_rate: z.number().min(0).max(1).optional(),
  tools_pass_rate: z.number().min(0).max(1).optional(),
});
export type Effort = z.infer<typeof effortSchema>;

/** What was paid for a candidate, its rejected rounds included. */
export const spentSchema = z.strictObject({
  calls: z.int().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type Spent = z.infer<typeof spentSchema>;

/** One attempt to make a candidate harder. */
export const roundSchema = z.strictObject({
  op: operationSchema,
  form: formSchema,
  /** Why it was taken back; absent where it stayed. */
  reason: dropReasonSchema.optional(),
  evidence: jsonObjectSchema.optional(),
});
export type Round = z.infer<typeof roundSchema>;

/** How a task came to be. A task carries it outside of its id. */
export const synthesisSchema = z.strictObject({
  version: z.literal(1),
  /** The run's seed. */
  seed: z.int(),
  /** SHA-256 over the hashes of all documents, in their order. */
  corpus_sha256: z.string(),
  /** Facts that its uniqueness was decided over. */
  facts: z.int().nonnegative(),
  form: formSchema,
  /** Hops: fewest documents whose stated facts give the answer. Not the interactions of a trajectory. */
  hops: z.int().positive(),
  /** Facts in solving order: from what the question names to the answer. */
  chain: z.array(chainStepSchema).min(1),
  checks: z.array(checkVerdictSchema),
  effort: effortSchema,
  spent: spentSchema,
});
export type Synthesis = z.infer<typeof synthesisSchema>;

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
