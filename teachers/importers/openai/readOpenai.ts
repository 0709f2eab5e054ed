import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import {
  type OpenaiContent,
  type OpenaiMessage,
  openaiConversationSchema,
  openaiHistorySchema,
} from '../../../schemas/interchange/openaiChat.ts';
import { ownRunIn } from '../../../schemas/interchange/ownRun.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { parseRow, RowRefusal } from '../rowRefusal.ts';
import { type ForeignCall, type ForeignRun, type ForeignTurn, unknownFigures } from '../runs/foreignRun.ts';
import { type CallResults, callPath, callResults } from './callResults.ts';
import { type PlacedMessage, textTurns } from './textTurns.ts';

type Assistant = Extract<OpenaiMessage, { role: 'assistant' }>;

/**
 * Reads a conversation: `{"messages": [...]}` or `{"history": [...]}` with tool calls and `reasoning_content`, or with
 * calls and results in the texts of turns, where a map says how to read them. System messages and every other key are
 * kept in the trace's `extra`.
 */
export function readOpenai(value: JsonValue, map?: TurnMap): ForeignRun {
  const remarks = new Set<string>();
  const { row, messages } = conversationOf(value, remarks);
  const hasCalls = messages.some(({ message }) => message.role === 'assistant' && message.tool_calls?.length);
  const textMap = hasCalls ? undefined : map;
  const asked = askedQuestion(messages, textMap);
  const left = messages.flatMap((placed, at) =>
    asked.left.has(placed) ? [{ at, message: placed.message }] : [],
  );
  return {
    ...(typeof row.id === 'string' && { given_id: row.id }),
    question: asked.question,
    // Some hold lists of lists.
    answers: [row.answers ?? row.answer].flat(3).filter((answer) => typeof answer === 'string'),
    teacher: typeof row.model === 'string' ? row.model : 'openai',
    turns: textMap ? textTurns(asked.rest, textMap) : calledTurns(asked.rest, remarks),
    own: ownRunIn(row),
    extra: { openai: { row, left } as unknown as JsonObject },
    remarks: [...remarks].sort(),
  };
}

function conversationOf(value: JsonValue, remarks: Set<string>) {
  const isHistory = isJsonObject(value) && value.messages === undefined && value.history !== undefined;
  const key = isHistory ? 'history' : 'messages';
  const { [key]: found, ...row } = isHistory
    ? parseRow(openaiHistorySchema, value)
    : parseRow(openaiConversationSchema, value);
  const messages = (found as OpenaiMessage[]).map(
    (message, at): PlacedMessage => ({
      path: `${key}[${at}]`,
      message,
      text: textOf(message.content, remarks),
    }),
  );
  return { row: row as JsonObject, messages };
}

function calledTurns(messages: readonly PlacedMessage[], remarks: Set<string>): ForeignTurn[] {
  const results = callResults(messages);
  return messages.flatMap(({ message, path, text }) =>
    message.role === 'assistant' ? [turnOf(message, path, text, results, remarks)] : [],
  );
}

function turnOf(
  message: Assistant,
  path: string,
  text: string,
  results: CallResults,
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
  const { role: _, content: _content, reasoning_content, reasoning, tool_calls, ...rest } = message;
  const calls = (tool_calls ?? []).map((call, nth) => callOf(call, callPath(path, nth), results, remarks));
  const kept = Object.keys(rest).length > 0 ? { openai: rest as JsonObject } : undefined;
  return {
    path,
    reasoning: reasoning_content ?? reasoning ?? null,
    text,
    calls,
    figures: unknownFigures,
    ...(kept && { extra: kept }),
  };
}

function callOf(
  { id, function: { name, arguments: text } }: NonNullable<Assistant['tool_calls']>[number],
  path: string,
  results: CallResults,
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
  const result = results.get(path);
  return {
    path,
    name,
    input: parsed.value,
    observation: result === undefined ? null : textOf(result, remarks),
    extra: { openai: { id, name, arguments: text } },
  };
}

function textOf(content: OpenaiContent | null | undefined, remarks: Set<string>): string {
  if (content == null || typeof content === 'string') return content ?? '';
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  if (texts.length < content.length) remarks.add('images_left_out');
  return texts.join('\n');
}

/** What a conversation asks, and what stands besides. */
interface AskedQuestion {
  /** Empty where no user asks. */
  readonly question: string;
  /** Messages that are no part of the run, or of which only the question is. */
  readonly left: ReadonlySet<PlacedMessage>;
  /** The agent's and the tools' messages. */
  readonly rest: readonly PlacedMessage[];
}

/**
 * The one question of a conversation. With a map, users' turns after the agent's first are results.
 *
 * @throws RowRefusal (`second_user_message`) where more than one is asked
 */
function askedQuestion(messages: readonly PlacedMessage[], map: TurnMap | undefined): AskedQuestion {
  const first = messages.findIndex(({ message }) => message.role === 'assistant');
  const isBefore = (at: number) => map === undefined || first < 0 || at < first;
  const users = messages.filter(({ message }, at) => message.role === 'user' && isBefore(at));
  const asking = map?.question === 'last' ? users.at(-1) : users[0];
  const second = users[1];
  if (second && map?.question !== 'last') {
    throw new RowRefusal(
      'unsupported_row',
      'second_user_message',
      second.path,
      'a trajectory answers one question, but the user speaks again here; if a tool’s result stands in this turn, say --map PRESET',
    );
  }
  const question = asking ? questionIn(asking.text, map?.question_after ?? []) : '';
  const isInstruction = ({ message: { role } }: PlacedMessage) => role === 'system' || role === 'developer';
  const asked = new Set(users);
  const isLeft = (placed: PlacedMessage) =>
    isInstruction(placed) || (asked.has(placed) && (placed !== asking || question !== placed.text));
  return {
    question,
    left: new Set(messages.filter(isLeft)),
    rest: messages.filter((placed) => !asked.has(placed) && !isInstruction(placed)),
  };
}

function questionIn(text: string, marks: readonly string[]): string {
  const mark = marks.find((each) => text.includes(each));
  return mark === undefined ? text : text.slice(text.indexOf(mark) + mark.length).trim();
}
