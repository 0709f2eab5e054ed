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

/** Flaws that can be planted in a solution. A task's one is drawn in this order. */
export const plantedFlawSchema = z.enum([
  'wrong_answer',
  'redundant_query',
  'too_few_interactions',
  'missing_reflection',
  /** A wrong first answer that a double check corrects. */
  'corrected_double_check',
  /** At every ask: the task fails. */
  'malformed_json',
  /** Right when asked again. */
  'malformed_json_once',
  'refusal',
  'tag_in_text',
  /** A program that never ends, then a good one. */
  'hanging_code',
  'near_redundant_query',
  /** A program prints a key and an e-mail address. */
  'secret_in_observation',
  /** Thoughts and plans in French. */
  'foreign_language',
  /** A plan of about 10,000 tokens. */
  'rambling',
  /** The last thought is an earlier one (lint rule duplicate_block). */
  'repeated_thought',
  /** A plea to the grader before the answer, against the instructions. */
  'talk_to_grader',
  'duplicate_question',
]);
export type PlantedFlaw = z.infer<typeof plantedFlawSchema>;

/** One line of a script: how a question is solved, one step an action, in order. */
export const scriptEntrySchema = z.object({
  /** Exactly the task's question. */
  question: z.string(),
  profile: z.string(),
  steps: z.array(scriptStepSchema).min(1),
  /** What a second try plays in place of the last step, told that the answer was wrong; absent: the same again. */
  second_try: z.array(scriptStepSchema).min(1).optional(),
  /** What was planted; null for a clean solution. */
  flaw: plantedFlawSchema.nullable(),
});
export type ScriptEntry = z.infer<typeof scriptEntrySchema>;

/** One line of `teacher/planted.jsonl`: the truth that filters are measured against. */
export const plantedRecordSchema = z.object({
  question: z.string(),
  profile: z.string(),
  flaw: plantedFlawSchema.nullable(),
});
export type PlantedRecord = z.infer<typeof plantedRecordSchema>;
