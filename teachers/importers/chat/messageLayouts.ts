import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import { type RowRefusal, refusal } from '../rowRefusal.ts';

/** Columns of conversations: OpenAI's, SWE-agent's, ShareGPT's with `from` and `value`, Gemini's, and nebius's. */
export const messageKeys = ['messages', 'history', 'conversations', 'contents', 'trajectory'] as const;

/** Logs of events by the keys of their lines. */
const sessionLogs: readonly (readonly [tool: string, keys: string])[] = [
  ['Claude Code', 'type sessionId'],
  ['Claude Code', 'type summary leafUuid'],
  ['Codex', 'type timestamp payload'],
  ['OpenHands', 'id source action'],
  ['OpenHands', 'id source observation'],
];

/**
 * Messages of a row in OpenAI's format, and the rest of the row.
 * @throws RowRefusal (`unsupported_row`) for a row that has none
 */
export function messagesIn(value: JsonValue) {
  const row = isJsonObject(value) ? value : {};
  const key = messageKeys.find((each) => row[each] !== undefined);
  if (key === undefined && Array.isArray(row.output)) {
    const { input = [], output, ...rest } = row;
    const asked = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    return { row: rest, placed: [...placed(asked, 'input'), ...placed(output!, 'output')] };
  }
  if (Array.isArray(value)) return { row: {}, placed: placed(value, 'messages') };
  if (key === undefined) throw withoutMessages(row);
  const { [key]: found = null, ...rest } = row;
  return { row: rest as JsonObject, placed: placed(listOf(found, key), key) };
}

/** Column, or the value of its JSON text, as in tables without nested columns. */
function listOf(found: JsonValue, key: string): JsonValue {
  const parsed = typeof found === 'string' ? safeParseJson(found) : undefined;
  if (!parsed) return found;
  if (parsed.ok && Array.isArray(parsed.value)) return parsed.value;
  const text = JSON.stringify((found as string).slice(0, 60));
  throw refusal('no_messages', key, `expected a list of messages or its JSON text, found ${text}`);
}

function withoutMessages(row: JsonObject): RowRefusal {
  const log = sessionLogs.find(([, keys]) => keys.split(' ').every((name) => row[name] !== undefined));
  if (log) return refusal('session_log', '', `of ${log[0]}; export it as one conversation a line`);
  const found = Object.keys(row).slice(0, 12).join(', ') || 'none';
  return refusal('no_messages', '', `expected ${messageKeys.join(', ')}, found the columns ${found}`);
}

function placed(list: JsonValue, key: string) {
  const messages = Array.isArray(list) ? list : [list];
  return messages.map((message, at) => ({ path: `${key}[${at}]`, message: messageOf(message) }));
}

function messageOf(message: JsonValue): JsonValue {
  if (!isJsonObject(message)) return message;
  const { from, value, role, parts, type, ...rest } = message;
  if (from !== undefined && role === undefined)
    return { ...message, role: from, ...(value !== undefined && { content: value }) };
  const { text, system_prompt, ...nebius } = message;
  if (role !== undefined && message.content === undefined && (text ?? system_prompt) != null)
    return { ...nebius, content: (text ?? system_prompt)! };
  if (Array.isArray(parts))
    return { ...rest, role: role === 'function' ? 'user' : role!, content: parts.map(geminiPart) };
  return typeof type === 'string' && type !== 'message' && role === undefined
    ? itemMessage(type, rest)
    : message;
}

/** Converts a part of Gemini's contents to Anthropic's format. */
function geminiPart(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part;
  const { functionCall: call, functionResponse: given, text, thought } = part;
  if (typeof text === 'string') return { type: thought === true ? 'thinking' : 'text', text };
  if (isJsonObject(call)) return { ...call, type: 'tool_use', input: call.args ?? {} };
  if (!isJsonObject(given)) return { type: Object.keys(part)[0] ?? 'part' };
  const { id, name = null, response = {} } = given;
  const said = isJsonObject(response) ? (response.result ?? response.output) : response;
  const content = typeof said === 'string' ? said : JSON.stringify(response);
  return { type: 'tool_result', name, content, ...(id !== undefined && { tool_use_id: id }) };
}

/** Converts an item of OpenAI's responses other than a message; unknown types become unread parts. */
function itemMessage(type: string, { call_id, ...item }: JsonObject): JsonValue {
  const { name, arguments: input, output, summary, ...rest } = item;
  if (type === 'function_call')
    return {
      ...rest,
      role: 'tool_call',
      content: [{ type: 'tool_use', id: call_id!, name: name!, input: input! }],
    };
  if (type === 'function_call_output')
    return { ...rest, role: 'tool', tool_call_id: call_id!, content: output! };
  if (type !== 'reasoning') return { ...rest, role: 'assistant', content: [{ type }] };
  const details = Array.isArray(summary) && summary.length > 0 ? summary : [{}];
  return { ...rest, role: 'assistant', reasoning_details: details };
}
