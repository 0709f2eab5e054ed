import {
  type OpenaiContent,
  type OpenaiMessage,
  openaiConversationSchema,
} from '../../../schemas/interchange/openaiChat.ts';
import { ownRunIn } from '../../../schemas/interchange/ownRun.ts';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../schemas/json.ts';
import { parseRow } from '../parseRow.ts';
import { RowRefusal } from '../rowRefusal.ts';
import { type ForeignCall, type ForeignRun, type ForeignTurn, unknownFigures } from '../runs/foreignRun.ts';

type Assistant = Extract<OpenaiMessage, { role: 'assistant' }>;

/**
 * Reads a conversation: `{"messages": [...]}` with tool calls and `reasoning_content`. System messages and every other
 * key are kept in the trace's `extra`.
 */
export function readOpenai(value: JsonValue): ForeignRun {
  const { messages, ...row } = parseRow(openaiConversationSchema, value);
  const results = resultsByCall(messages);
  const remarks = new Set<string>();
  const turns = messages.flatMap((message, at) =>
    message.role === 'assistant' ? [turnOf(message, `messages[${at}]`, results, remarks)] : [],
  );
  refuseLooseResults(results);
  const left = messages.flatMap((message, at) => (isLeft(message) ? [{ at, message }] : []));
  return {
    ...(typeof row.id === 'string' && { given_id: row.id }),
    question: questionOf(messages, remarks),
    answers: [row.answers ?? row.answer].flat().filter((answer) => typeof answer === 'string'),
    teacher: typeof row.model === 'string' ? row.model : 'openai',
    turns,
    own: ownRunIn(row),
    extra: { openai: { row, left } as unknown as JsonObject },
    remarks: [...remarks].sort(),
  };
}

function isLeft({ role }: OpenaiMessage): boolean {
  return role === 'system' || role === 'developer';
}

interface Result {
  readonly at: number;
  readonly content: OpenaiContent;
  used: boolean;
}

function resultsByCall(messages: readonly OpenaiMessage[]): Map<string, Result> {
  const results = new Map<string, Result>();
  const asked = new Set<string>();
  messages.forEach((message, at) => {
    if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) asked.add(id);
    if (message.role !== 'tool') return;
    const { tool_call_id: id, content } = message;
    const path = `messages[${at}].tool_call_id`;
    if (!asked.has(id))
      throw new RowRefusal('malformed_row', 'result_without_call', path, `no earlier call has the id ${id}`);
    if (results.has(id))
      throw new RowRefusal('malformed_row', 'second_result', path, `the call ${id} has a result already`);
    results.set(id, { at, content, used: false });
  });
  return results;
}

/** A call id that stands twice would give one call's result to another. */
function refuseLooseResults(results: ReadonlyMap<string, Result>): void {
  for (const [id, { at, used }] of results) {
    if (!used)
      throw new RowRefusal(
        'malformed_row',
        'result_without_call',
        `messages[${at}]`,
        `nothing asked for ${id}`,
      );
  }
}

function turnOf(
  message: Assistant,
  path: string,
  results: ReadonlyMap<string, Result>,
  remarks: Set<string>,
): ForeignTurn {
  if (message.refusal) {
    throw new RowRefusal(
      'unsupported_row',
      'model_refused',
      `${path}.refusal`,
      'the model refused to answer',
    );
  }
  const { role: _, content, reasoning_content, reasoning, tool_calls, ...rest } = message;
  const calls = (tool_calls ?? []).map((call, nth) =>
    callOf(call, `${path}.tool_calls[${nth}]`, results, remarks),
  );
  const kept = Object.keys(rest).length > 0 ? { openai: rest as JsonObject } : undefined;
  return {
    path,
    reasoning: reasoning_content ?? reasoning ?? null,
    text: textOf(content, remarks),
    calls,
    figures: unknownFigures,
    ...(kept && { extra: kept }),
  };
}

function callOf(
  { id, function: { name, arguments: text } }: NonNullable<Assistant['tool_calls']>[number],
  path: string,
  results: ReadonlyMap<string, Result>,
  remarks: Set<string>,
): ForeignCall {
  const parsed = safeParseJson(text === '' ? '{}' : text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    throw new RowRefusal(
      'malformed_row',
      'bad_arguments',
      `${path}.function.arguments`,
      'expected the text of a JSON object',
    );
  }
  const result = results.get(id);
  if (result?.used)
    throw new RowRefusal('malformed_row', 'second_call', `${path}.id`, `an earlier call has the id ${id}`);
  if (result) result.used = true;
  return {
    path,
    name,
    input: parsed.value,
    observation: result ? textOf(result.content, remarks) : null,
    extra: { openai: { id, name, arguments: text } },
  };
}

function questionOf(messages: readonly OpenaiMessage[], remarks: Set<string>): string {
  const asked = messages.flatMap((message, at) => (message.role === 'user' ? [{ message, at }] : []));
  const second = asked[1];
  if (second) {
    const path = `messages[${second.at}]`;
    throw new RowRefusal(
      'unsupported_row',
      'second_user_message',
      path,
      'a trajectory answers one question, but the user speaks again here',
    );
  }
  return asked[0] ? textOf(asked[0].message.content, remarks) : '';
}

function textOf(content: OpenaiContent | null | undefined, remarks: Set<string>): string {
  if (content == null || typeof content === 'string') return content ?? '';
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  if (texts.length < content.length) remarks.add('images_left_out');
  return texts.join('\n');
}
