import { isJsonObject, type JsonObject } from '../base/json.ts';
import { parseModelJson } from './parseModelJson.ts';

/** JSON object of a model, or the reason for none. */
export type JsonAnswer =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly error: string };

const thoughts = /^\s*<think>[\s\S]*?<\/think>/;
// Limited to one line, so that a run of line feeds takes linear time.
const openingFence = /```(?:json)?[^\S\n]*\n/g;
const closingFence = /\n[^\S\n]*```/g;

/**
 * Finds the JSON object in a model's text: the whole text, or without thinking, inside a fence, or between the first
 * and the last brace. Endpoints without structured answers wrap it in all these ways.
 */
export function readJsonAnswer(content: string | null): JsonAnswer {
  const text = (content ?? '').replace(thoughts, '').trim();
  if (text === '') return { ok: false, error: 'the answer is empty' };
  const candidates = [text, fencedText(text), text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)];
  for (const candidate of candidates) {
    const parsed = candidate ? parseModelJson(candidate) : undefined;
    if (parsed?.ok && isJsonObject(parsed.value)) return { ok: true, value: parsed.value };
  }
  const whole = parseModelJson(text);
  return {
    ok: false,
    error: whole.ok ? 'the answer is JSON, but not an object' : `not JSON: ${whole.error}`,
  };
}

/** Content of the first code fence; undefined without one. */
function fencedText(text: string): string | undefined {
  openingFence.lastIndex = 0;
  if (!openingFence.test(text)) return undefined;
  const start = openingFence.lastIndex;
  // The line feed after the opening fence may be the one before the closing one.
  closingFence.lastIndex = start - 1;
  const closing = closingFence.exec(text);
  return closing ? text.slice(start, closing.index) : undefined;
}
