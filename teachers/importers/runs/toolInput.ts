import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { TagRule } from '../../../schemas/coa/profile.ts';
import { refusal } from '../rowRefusal.ts';
import type { ForeignCall } from './foreignRun.ts';

/** Argument names of other systems, most specific first. A single text argument is accepted under any name. */
const queryNames = ['query', 'q', 'search_query', 'search_term', 'keywords', 'question', 'task', 'input'];
export const urlNames: readonly string[] = ['urls', 'url', 'page_url', 'link', 'links'];
const codeNames = ['code', 'program', 'source', 'script', 'content'];
const wordNames = ['answer', 'thought', 'plan', 'reflection', 'score', 'text', 'content', 'message'];

/**
 * Arguments of a foreign call in our form: `{query}`, `{urls}` or `{code, stdin?}`, plus further ones such as the
 * goal of a visit; unchanged for a tag with a JSON body.
 * @throws RowRefusal (`unsupported_row`) when no argument says what was asked
 */
export function toolInput(rule: TagRule, call: ForeignCall): JsonObject {
  if (rule.body === 'json') return call.input;
  if (rule.body === 'urls') return urlsInput(call);
  const isCode = rule.body === 'code';
  const { text, others } = textArgument(call, isCode ? codeNames : queryNames);
  if (!isCode) return { ...others, query: text };
  const { stdin, ...rest } = others;
  return { ...rest, code: fencedCode(text), ...(typeof stdin === 'string' && stdin !== '' && { stdin }) };
}

/** Text of an action that is a tool in another system, such as `final_answer`. */
export function actionWords(call: ForeignCall): string {
  return textArgument(call, wordNames).text;
}

function urlsInput(call: ForeignCall): JsonObject {
  const listed = urlNames.find((name) => {
    const value = call.input[name];
    return Array.isArray(value) && value.length > 0 && value.every((url) => typeof url === 'string');
  });
  if (listed !== undefined) return { ...without(call.input, listed), urls: call.input[listed]! };
  const { text, others } = textArgument(call, urlNames);
  return { ...others, urls: text.split('|').map((url) => url.trim()) };
}

function without(input: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== name));
}

/** Main text argument, and the others. */
function textArgument({ input, name, path }: ForeignCall, names: readonly string[]) {
  const texts = new Map(
    Object.entries(input).flatMap(([key, value]) => {
      const text = wordsOf(value);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
  const [only] = texts.size === 1 ? texts.keys() : [];
  const key = names.find((each) => texts.has(each)) ?? only;
  if (key !== undefined) return { text: texts.get(key)!, others: without(input, key) };
  const found = Object.keys(input).join(', ') || 'none';
  throw refusal('unknown_arguments', `${path}.arguments`, `${name} should have ${names[0]}, found ${found}`);
}

/** Joins several queries of one call like several URLs and answers. */
function wordsOf(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) {
    const words = value.map((each: JsonValue) => (Array.isArray(each) ? undefined : wordsOf(each)));
    return words.length === 0 || words.includes(undefined) ? undefined : words.join(' | ');
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Strips the code fence that some agents add. */
function fencedCode(code: string): string {
  return /^\s*```(?:py|python)?\s*\n([\s\S]*?)\n?```\s*$/.exec(code)?.[1] ?? code;
}
