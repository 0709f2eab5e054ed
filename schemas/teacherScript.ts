import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

/**
 * One step of a scripted solution. Texts may hold `{{name}}`: a value that an earlier step's `extract` took from an
 * observation in the request's messages, so what the teacher says depends on what the tools found.
 */
export const scriptStepSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('plan'), think: z.string(), plan: z.string() }),
  z.object({
    action: z.literal('tool'),
    tool: z.string(),
    think: z.string(),
    input: jsonObjectSchema,
    /** Name -> regular expression whose first group is looked up in this call's observation. */
    extract: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    action: z.literal('reflection'),
    think: z.string(),
    /** Free words, or the grades of a graded reflection by criterion. */
    reflection: z.union([z.string(), z.record(z.string(), z.enum(['Good', 'Average', 'Poor']))]),
  }),
  z.object({ action: z.literal('suggested_answer'), think: z.string(), answer: z.string() }),
  z.object({ action: z.literal('double_check'), think: z.string(), score: z.int().min(1).max(4) }),
  z.object({ action: z.literal('answer'), think: z.string(), answer: z.string() }),
]);
export type ScriptStep = z.infer<typeof scriptStepSchema>;

/** One line of a script: how a question is solved, one step an action, in order. */
export const scriptEntrySchema = z.object({
  /** Exactly the task's question. */
  question: z.string(),
  profile: z.string(),
  steps: z.array(scriptStepSchema).min(1),
  /** Steps of a second try in place of the last step; absent: the same again. */
  second_try: z.array(scriptStepSchema).min(1).optional(),
  /** Deliberate flaw, null for none. `refusal`, `malformed_json` and `malformed_json_once` are played by the server. */
  flaw: z.string().nullable(),
});
export type ScriptEntry = z.infer<typeof scriptEntrySchema>;
