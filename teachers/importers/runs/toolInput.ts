import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { TagRule } from '../../../schemas/coa/profile.ts';
import { refusal } from '../rowRefusal.ts';
import type { ForeignCall } from './foreignRun.ts';

/** What arguments are called elsewhere, most telling first. A call's only text argument is taken whatever its name. */
const queryNames = ['query', 'q', 'search_query', 'search_term', 'keywords', 'question', 'task', 'input'];
export const urlNames: readonly string[] = ['urls', 'url', 'page_url', 'link', 'links'];
const codeNames = ['code', 'program', 'source', 'script', 'content'];
const wordNames = ['answer', 'thought', 'plan', 'reflection', 'score', 'text', 'content', 'message'];

/**
 * A foreign call's arguments as our tools take them: `{query}`, `{urls}` or `{code, stdin?}`, beside what else was
 * said, such as the goal of a visit; of a tag with a JSON body as they are.
 *
 * @throws RowRefusal (`unsupported_row`) when no argument says what was asked
 */
export function toolInput(rule: TagRule, call: ForeignCall): JsonObject {
  switch (rule.body) {
    case 'urls':
      return urlsInput(call);
    case 'code': {
      const { name, text } = textArgument(call, codeNames);
      const { stdin, ...others } = without(call.input, name);
      const input = { ...others, code: fencedCode(text) };
      return typeof stdin === 'string' && stdin !== '' ? { ...input, stdin } : input;
    }
    case 'json':
      return call.input;
    default: {
      const { name, text } = textArgument(call, queryNames);
      return { ...without(call.input, name), query: text };
    }
  }
}

/** The words of an action that another system has as a tool, such as `final_answer`. */
export function actionWords(call: ForeignCall): string {
  return textArgument(call, wordNames).text;
}

function urlsInput({ input, ...call }: ForeignCall): JsonObject {
  for (const name of urlNames) {
    const value = input[name];
    if (Array.isArray(value) && value.length > 0 && value.every((url) => typeof url === 'string'))
      return { ...without(input, name), urls: value };
  }
  const { name, text } = textArgument({ ...call, input }, urlNames);
  return { ...without(input, name), urls: text.split('|').map((url) => url.trim()) };
}

function without(input: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== name));
}

function textArgument(
  { input, name, path }: ForeignCall,
  names: readonly string[],
): { readonly name: string; readonly text: string } {
  const texts = Object.keys(input).flatMap((key) => {
    const text = wordsOf(input[key]);
    return text === undefined ? [] : [{ name: key, text }];
  });
  const named = names
    .map((key) => texts.find((each) => each.name === key))
    .find((found) => found !== undefined);
  if (named) return named;
  if (texts.length === 1) return texts[0]!;
  const found = Object.keys(input).join(', ') || 'none';
  throw refusal('unknown_arguments', `${path}.arguments`, `${name} should have ${names[0]}, found ${found}`);
}

/** Several queries of one call are joined as several URLs and answers are. */
function wordsOf(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) {
    const words = value.map((each: JsonValue) => (Array.isArray(each) ? undefined : wordsOf(each)));
    return words.length === 0 || words.includes(undefined) ? undefined : words.join(' | ');
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A program without the fence that some agents put around it. */
function fencedCode(code: string): string {
  return /^\s*```(?:py|python)?\s*\n([\s\S]*?)\n?```\s*$/.exec(code)?.[1] ?? code;
}
