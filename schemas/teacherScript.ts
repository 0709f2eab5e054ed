import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

/**
 * One step of a scripted solution. Texts may contain `{{name}}`: a value extracted from an earlier observation by a
 * step's `extract`, so that the teacher's text depends on the tools' results.
 */
export const scriptStepSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('plan'), think: z.string(), plan: z.string() }),
  z.object({
    action: z.literal('tool'),
    tool: z.string(),
    think: z.string(),
    input: jsonObjectSchema,
    /** Name -> regular expression whose first group is extracted from this call's observation. */
    extract: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    action: z.literal('reflection'),
    think: z.string(),
    /** Free text, or the grades of a graded reflection by criterion. */
    reflection: z.union([z.string(), z.record(z.string(), z.enum(['Good', 'Average', 'Poor']))]),
  }),
  z.object({ action: z.literal('suggested_answer'), think: z.string(), answer: z.string() }),
  z.object({ action: z.literal('double_check'), think: z.string(), score: z.int().min(1).max(4) }),
  z.object({ action: z.literal('answer'), think: z.string(), answer: z.string() }),
]);
export type ScriptStep = z.infer<typeof scriptStepSchema>;

/** One line of a script: the solution of a question, one step per action, in order. */
export const scriptEntrySchema = z.object({
  /** Exact question of the task. */
  question: z.string(),
  profile: z.string(),
  steps: z.array(scriptStepSchema).min(1),
  /** Steps of a second try that replace the last step; absent: the same again. */
  second_try: z.array(scriptStepSchema).min(1).optional(),
  /** Deliberate flaw, null for none. `refusal`, `malformed_json` and `malformed_json_once` are played by the server. */
  flaw: z.string().nullable(),
});
export type ScriptEntry = z.infer<typeof scriptEntrySchema>;
