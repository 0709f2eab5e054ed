import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { ToolDefinition } from '../contract/chatModel.ts';
import type { ParsedToolInput, Tool } from '../contract/tool.ts';

/** Input schema of a tool with an example for the model. */
export interface InputRule<Input> {
  readonly schema: z.ZodType<Input>;
  /** Example such as `{"query": "what to look for"}`. */
  readonly example: string;
}

/** Validates a model's input. The error lists every mistake and the expected form. */
export function parseToolInput<Input extends JsonObject>(
  rule: InputRule<Input>,
  input: unknown,
): ParsedToolInput {
  const parsed = rule.schema.safeParse(input);
  if (parsed.success) return { ok: true, input: parsed.data };
  const mistakes = parsed.error.issues.map(describeIssue).join('; ');
  return { ok: false, error: `${mistakes}. Expected ${rule.example}` };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.') || 'the input';
  if (issue.code === 'unrecognized_keys') return `${field}: there is no ${issue.keys.join(', ')}`;
  return `${field}: ${issue.message}`;
}

/** Definition of a tool from a zod schema: the offered and the checked input agree. */
export function defineTool(name: string, description: string, input: z.ZodType): ToolDefinition {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, parameters: parameters as JsonObject };
}

/** A tool with one schema, without its calls. */
export function describedTool<Input extends JsonObject>(
  name: string,
  description: string,
  rule: InputRule<Input>,
): Pick<Tool, 'name' | 'definition' | 'parseInput'> {
  return {
    name,
    definition: defineTool(name, description, rule.schema),
    parseInput: (input) => parseToolInput(rule, input),
  };
}

/** Maximum query length in UTF-16 code units; longer ones come from a broken model answer. */
const MAX_QUERY_LENGTH = 4000;

const querySchema = z.strictObject({
  query: z.string().trim().min(1, 'is empty').max(MAX_QUERY_LENGTH).describe('What to look for'),
});

export type QueryInput = z.infer<typeof querySchema>;

/** Input of searches: `{"query": text}`. */
export const queryInput: InputRule<QueryInput> = {
  schema: querySchema,
  example: '{"query": "what to look for"}',
};

/** Start of an answer, with a notice if cut. */
export function cutAnswer(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  return `${text.slice(0, maxChars).toWellFormed()}\n[cut off: the answer has ${text.length} characters]`;
}
