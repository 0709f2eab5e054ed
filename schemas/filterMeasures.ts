import { z } from 'zod';

/** Kinds of secrets and personal data that are looked for in what tools showed. */
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
  /** A number whose check digit is right (Luhn). */
  'credit_card',
]);
export type SecretKind = z.infer<typeof secretKindSchema>;

const count = z.int().nonnegative();

/** Whether what tools showed holds the answer. */
export const groundingSchema = z.strictObject({
  /** `exempt`: an answer of a kind that no document need state. */
  finding: z.enum(['grounded', 'ungrounded', 'exempt']),
  /** `yes_no`, `option`: the letter of one that the question names, `computed`: a count or a result of a program. */
  exempt_as: z.enum(['yes_no', 'option', 'computed']).optional(),
  /** Results of tools that bring evidence, which are all but programs. */
  looks: count,
  /** Those that say that nothing was found. */
  empty_looks: count,
});
export type Grounding = z.infer<typeof groundingSchema>;

/** Numbers and names in thoughts that neither the prompt nor an earlier observation holds. */
export const unsupportedThoughtSchema = z.strictObject({
  /** Different ones. */
  values: count,
  /** The first few of them. */
  examples: z.array(z.string()),
});
export type UnsupportedThought = z.infer<typeof unsupportedThoughtSchema>;

/**
 * Measures of a trajectory that the filter decides by. Those that the settings do not ask for are absent.
 */
export const filterMeasuresSchema = z.strictObject({
  /** Tool inputs nearly equal to an earlier one, equal ones left out. */
  near_redundant_tool_inputs: count,
  /** Actions: what is neither thinking nor an observation. */
  steps: count,
  /** Length of its segments' text, in UTF-16 code units. */
  chars: count,
  /** Tokens of its segments' text, by the tokenizer of the dataset. */
  tokens: count.optional(),
  /** ISO 639-1 code of the words of the model; null where it can't be told. */
  language: z.string().nullable().optional(),
  /** Kind of secret -> how many observations hold. */
  secrets: z.record(z.string(), count).optional(),
  /** Rule of `coa-distill check` -> findings. */
  check: z.record(z.string(), count).optional(),
  /** What rules of `filters.rules` drop it for, each by the name of its file; absent where there are none. */
  own_rules: z.array(z.strictObject({ rule: z.string(), why: z.string() })).optional(),
  /** Absent where the profile has no tool that brings evidence, and where there is no answer. */
  grounding: groundingSchema.optional(),
  /** Absent where the profile has no tool that brings evidence. */
  unsupported_thought: unsupportedThoughtSchema.optional(),
  /** Share of the samples of another model that solved the task; null where the file does not name it. */
  pass_rate: z.number().min(0).max(1).nullable().optional(),
});
export type FilterMeasures = z.infer<typeof filterMeasuresSchema>;
