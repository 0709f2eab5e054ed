import { isJsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import type { CallForm } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';
import { type AskedCall, argumentsOf } from './askedCall.ts';

type NamedCall = Pick<AskedCall, 'name' | 'input'>;

/**
 * Reads the text between the marks of a call.
 * @throws RowRefusal (`bad_arguments`) for a body that is not of its form
 */
export function writtenCall(form: CallForm, body: string, path: string): AskedCall {
  const words = body.trim();
  const call = namedCall(form, words);
  if (call && call.name.trim() !== '')
    return { path, ...call, isText: true, isBad: false, extra: { openai: { text: body } }, words };
  const expected = callForms[form.form as keyof typeof callForms] ?? jsonForm;
  throw refusal('bad_arguments', path, `expected ${expected}, got ${JSON.stringify(words.slice(0, 80))}`);
}

/** Form of calls in JSON, for messages. */
export const jsonForm = '{"name": ..., "arguments": {...}}';

const callForms = {
  elements: 'the elements of the name and of JSON arguments',
  parameters: '<function=NAME> with <parameter=KEY>...</parameter>',
};

function namedCall(form: CallForm, text: string): NamedCall | undefined {
  if (form.form === 'json') return jsonCall(text);
  if (form.form === 'elements') return elementsCall(form, text);
  return form.form === 'parameters' ? parametersCall(text) : { name: form.tool, input: { query: text } };
}

/** Reads a call as elements. MCP servers of an agent use an element of their own, which stays in the turn's text. */
function elementsCall({ name, arguments: given }: Extract<CallForm, { form: 'elements' }>, text: string) {
  const inside = (element: string) => {
    const { start, end } = { start: `<${element}>`, end: `</${element}>` };
    const from = text.indexOf(start) + start.length;
    const to = text.lastIndexOf(end);
    return from < start.length || to < from ? undefined : text.slice(from, to).trim();
  };
  const tool = inside(name);
  const parsed = safeParseJson(inside(given) ?? '');
  return tool !== undefined && parsed.ok && isJsonObject(parsed.value)
    ? { name: tool, input: parsed.value }
    : undefined;
}

const parameter = /\s*<parameter=([^<>\s]+)>\n?([\s\S]*?)\n?<\/parameter>\s*/y;

function parametersCall(text: string): NamedCall | undefined {
  const opening = /^(?:<function=)?([^<>\s]+)>/.exec(text);
  if (!opening) return undefined;
  const body = text.slice(opening[0].length).replace(/<\/function>$/, '');
  const input: Record<string, string> = {};
  let at = 0;
  for (; at < body.trimEnd().length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    const [, key, value] = parameter.exec(body) ?? [];
    if (key === undefined || value === undefined || Object.hasOwn(input, key)) return undefined;
    input[key] = value;
  }
  return { name: opening[1]!, input };
}

/** The `message` of a text that consists of parameters, like OpenHands' `finish` call; other text unchanged. */
export function spokenMessage(words: string): string {
  return parametersCall(`finish>${words}`)?.input.message?.toString().trim() ?? words;
}

/** Parses `{"name", "arguments"}`; Tongyi's agents append a program in `<code>`. */
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
