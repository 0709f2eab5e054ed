import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { parseModelJson } from '../../schemas/parseModelJson.ts';

/** What a model says about an answer. Anything else is not a verdict. */
export const answerVerdictSchema = z.strictObject({
  rationale: z.string(),
  judgement: z.enum(['correct', 'incorrect']),
});

/** What a model says about how instructions were followed; `correct`: all criteria are met. */
export const instructionsVerdictSchema = z.strictObject({
  rationale: z.string(),
  /** Numbers of the criteria that are not met, from 1. */
  failed_criteria: z.array(z.int().positive()),
  judgement: z.enum(['correct', 'incorrect']),
});

/** A model's verdict, with what its kind adds. */
export interface ModelVerdict {
  readonly rationale: string;
  readonly judgement: 'correct' | 'incorrect';
  readonly failed_criteria?: readonly number[];
}

/** What a verdict must look like. */
export type VerdictSchema = z.ZodType<ModelVerdict>;

/** A verdict, or why a model's words are none. */
type ReadVerdict =
  | { readonly ok: true; readonly verdict: ModelVerdict }
  | { readonly ok: false; readonly error: string };

const thoughts = /^\s*<think>[\s\S]*?<\/think>/;

/**
 * Reads a verdict in the shape that was asked for: the whole text, thinking in front and one fence around it apart. What
 * deviates from it is not a verdict. Nothing is searched for in other words, which may quote a verdict that the candidate
 * wished for.
 */
export function readVerdict(content: string | null, schema: VerdictSchema): ReadVerdict {
  const text = (content ?? '').replace(thoughts, '').trim();
  const json = parseModelJson(withoutFence(text));
  if (!json.ok) return { ok: false, error: text === '' ? 'the answer is empty' : `not JSON: ${json.error}` };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { ok: true, verdict: parsed.data };
  const { path, message } = parsed.error.issues[0]!;
  return { ok: false, error: `${path.length === 0 ? 'the verdict' : path.join('.')}: ${message}` };
}

/** What one fence around a whole text holds; the text itself without such a fence. */
function withoutFence(text: string): string {
  const firstLine = text.indexOf('\n');
  if (!text.startsWith('```') || !text.endsWith('```') || firstLine < 0) return text;
  const language = text.slice(3, firstLine).trim();
  return language === '' || language === 'json' ? text.slice(firstLine + 1, -3) : text;
}

/** The JSON Schema that an endpoint is given. */
export function verdictJsonSchema(schema: VerdictSchema): JsonObject {
  return z.toJSONSchema(schema) as JsonObject;
}
