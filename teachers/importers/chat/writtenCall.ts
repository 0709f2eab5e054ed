import { isJsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import type { CallForm } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';
import { type AskedCall, argumentsOf } from './askedCall.ts';

type NamedCall = Pick<AskedCall, 'name' | 'input'>;

/**
 * Reads what stands between the marks of a call in the text of a turn.
 *
 * @throws RowRefusal (`bad_arguments`) for a body that is not of its form
 */
export function writtenCall(form: CallForm, body: string, path: string): AskedCall {
  const words = body.trim();
  const call = namedCall(form, words);
  if (call && call.name.trim() !== '')
    return { path, ...call, isText: true, isBad: false, extra: { openai: { text: body } }, words };
  throw refusal('bad_arguments', path, `expected ${jsonForm}, got ${JSON.stringify(words.slice(0, 80))}`);
}

/** How calls stand in JSON, for messages. */
export const jsonForm = '{"name": ..., "arguments": {...}}';

function namedCall(form: CallForm, text: string): NamedCall | undefined {
  return form.form === 'json' ? jsonCall(text) : { name: form.tool, input: { query: text } };
}

/** `{"name", "arguments"}`; Tongyi's agents write a program behind it, in `<code>`. */
function jsonCall(text: string): NamedCall | undefined {
  const program = text.endsWith('</code>') ? /<code>\n?([\s\S]*?)\n?<\/code>$/.exec(text) : undefined;
  const whole = safeParseJson(text);
  if (whole.ok || !program) return whole.ok ? callIn(whole.value) : undefined;
  const object = safeParseJson(text.slice(0, program.index));
  const call = object.ok ? callIn(object.value) : undefined;
  return call && { name: call.name, input: { ...call.input, code: program[1]! } };
}

function callIn(value: JsonValue): NamedCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, arguments: given = value.parameters } = value;
  const input = argumentsOf(given);
  return typeof name === 'string' && input ? { name, input } : undefined;
}
