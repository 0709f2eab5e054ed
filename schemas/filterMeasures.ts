import { z } from 'zod';

/** Kinds of secrets and personal data searched for in observations. */
export const secretKindSchema = z.enum([
  /** A key of a common service, by its prefix and length. */
  'api_key',
  /** A PEM block. */
  'private_key',
  /** A signed JSON web token. */
  'json_web_token',
  'email',
  /** An international number, or one in groups. */
  'phone',
  /** A number with a valid check digit (Luhn). */
  'credit_card',
]);
export type SecretKind = z.infer<typeof secretKindSchema>;

const count = z.int().nonnegative();

/** Presence of the answer in observations. */
export const groundingSchema = z.strictObject({
  /** `exempt`: a kind of answer that no document has to state. */
  finding: z.enum(['grounded', 'ungrounded', 'exempt']),
  /** `yes_no`, `option`: the letter of an option in the question, `computed`: a count or a result of a program. */
  exempt_as: z.enum(['yes_no', 'option', 'computed']).optional(),
  /** Results of evidence tools: all but programs. */
  looks: count,
  /** Results that report nothing found. */
  empty_looks: count,
});
export type Grounding = z.infer<typeof groundingSchema>;

/** Numbers and names in thoughts that neither the prompt nor an earlier observation contains. */
export const unsupportedThoughtSchema = z.strictObject({
  /** Number of distinct ones. */
  values: count,
  /** First few of them. */
  examples: z.array(z.string()),
});
export type UnsupportedThought = z.infer<typeof unsupportedThoughtSchema>;

/** Measures of a trajectory for the filter. Those not needed by the settings are absent. */
export const filterMeasuresSchema = z.strictObject({
  /** Tool inputs nearly, but not exactly, equal to an earlier one. */
  near_redundant_tool_inputs: count,
  /** Actions, without thinking and observations. */
  steps: count,
  /** Length of its segments' text, in UTF-16 code units. */
  chars: count,
  /** Tokens of its segments' text by the dataset's tokenizer. */
  tokens: count.optional(),
  /** ISO 639-1 code of the model's text; null if undetected. */
  language: z.string().nullable().optional(),
  /** Kind of secret -> number of observations with it. */
  secrets: z.record(z.string(), count).optional(),
  /** Rule of `coa-distill check` -> findings. */
  check: z.record(z.string(), count).optional(),
  /** Drops by rules of `filters.rules`, each by its file's name; absent without any. */
  own_rules: z.array(z.strictObject({ rule: z.string(), why: z.string() })).optional(),
  /** Absent if the profile has no evidence tool, or without an answer. */
  grounding: groundingSchema.optional(),
  /** Absent if the profile has no evidence tool. */
  unsupported_thought: unsupportedThoughtSchema.optional(),
  /** Share of another model's samples that solved the task; null if the file does not name it. */
  pass_rate: z.number().min(0).max(1).nullable().optional(),
});
export type FilterMeasures = z.infer<typeof filterMeasuresSchema>;
