import { isJsonObject, type JsonObject, safeParseJson } from '../../../base/json.ts';
import { parseJsonBody, parseProgramBody } from '../bodies.ts';
import type { BodyRule } from '../profile.ts';

/**
 * The inputs that a body of a tool's tag may stand for, the likeliest first: the inverse of `toolBody`. None where the
 * body breaks its rule. A text is a query, or JSON where the tool takes something else.
 */
export function askedInputs(rule: BodyRule, body: string): JsonObject[] {
  const text = body.trim();
  if (text === '') return [];
  if (rule === 'urls') return [{ urls: text.split('|').map((url) => url.trim()) }];
  if (rule === 'code') return definedOnly(parseProgramBody(body));
  if (rule === 'json') return definedOnly(parseJsonBody(body));
  const json = safeParseJson(text);
  return [{ query: text }, ...(json.ok && isJsonObject(json.value) ? [json.value] : [])];
}

function definedOnly(input: object | undefined): JsonObject[] {
  return input === undefined ? [] : [{ ...input } as JsonObject];
}
