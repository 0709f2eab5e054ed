import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import type { CallForm } from '../../../schemas/interchange/turnMap.ts';
import { RowRefusal } from '../rowRefusal.ts';

/** A call that an agent wrote in its text. */
export interface WrittenCall {
  readonly name: string;
  readonly input: JsonObject;
}

/**
 * Reads what stands between the marks of a call.
 *
 * @throws RowRefusal (`malformed_row`, `bad_arguments`) for a body that is not of its form
 */
export function writtenCall(form: CallForm, body: string, path: string): WrittenCall {
  const text = body.trim();
  if (form.form === 'text' || form.form === 'fence') return { name: form.tool, input: { query: text } };
  const call = form.form === 'json' ? jsonCall(text) : actionCall(text);
  if (call && call.name.trim() !== '') return call;
  const expected =
    form.form === 'json'
      ? '{"name": ..., "arguments": {...}}'
      : 'a tool’s name, then "Action Input:" and its input';
  throw new RowRefusal(
    'malformed_row',
    'bad_arguments',
    path,
    `expected ${expected}, got ${JSON.stringify(text.slice(0, 80))}`,
  );
}

/** `{"name", "arguments"}`; Tongyi's agents write a program behind it, in `<code>`. */
function jsonCall(text: string): WrittenCall | undefined {
  const whole = safeParseJson(text);
  if (whole.ok) return namedCall(whole.value);
  const codeAt = text.indexOf('<code>');
  if (codeAt < 0 || !text.endsWith('</code>')) return undefined;
  const object = safeParseJson(text.slice(0, codeAt));
  const call = object.ok ? namedCall(object.value) : undefined;
  const code = text
    .slice(codeAt + '<code>'.length, -'</code>'.length)
    .replace(/^\n/, '')
    .replace(/\n$/, '');
  return call && { name: call.name, input: { ...call.input, code } };
}

function namedCall(value: JsonValue): WrittenCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, arguments: given = value.parameters ?? {} } = value;
  const input = objectOf(given);
  return typeof name === 'string' && input ? { name, input } : undefined;
}

function actionCall(text: string): WrittenCall | undefined {
  const blob = text.replace(/^```(?:json)?\n/, '').replace(/\n```$/, '');
  if (blob.startsWith('{')) return actionObject(blob);
  const [head = '', ...rest] = text.split(/\n[ \t]*Action Input:/);
  if (rest.length > 0) {
    const words = text.slice(text.indexOf('Action Input:', head.length) + 'Action Input:'.length).trim();
    return { name: head.trim(), input: objectOf(words) ?? { query: words } };
  }
  const bracketed = /^([\w .-]{1,64})\[([\s\S]*)\]$/.exec(text);
  return bracketed ? { name: bracketed[1]!.trim(), input: { query: bracketed[2]! } } : undefined;
}

/** `{"action": ..., "action_input": ...}`, as LangChain's structured chat agent writes it. */
function actionObject(blob: string): WrittenCall | undefined {
  const parsed = safeParseJson(blob);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { action, action_input = '' } = parsed.value;
  if (typeof action !== 'string') return undefined;
  return { name: action, input: isJsonObject(action_input) ? action_input : { query: action_input } };
}

function objectOf(value: JsonValue): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const parsed = typeof value === 'string' ? safeParseJson(value) : undefined;
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}
