import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { openaiConversationSchema } from '../../../schemas/interchange/openaiChat.ts';
import { OWN_KEY, ownRunIn } from '../../../schemas/interchange/ownRun.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { goldIn, mediaIn, unreadColumns } from '../../../schemas/rows/rowCodec.ts';
import { parseRow, refusal } from '../rowRefusal.ts';
import { RowRemarks } from '../rowRemarks.ts';
import type { ForeignRun, Reading } from '../runs/foreignRun.ts';
import { chatTurns } from './chatTurns.ts';
import { messagesIn } from './messageLayouts.ts';
import { type ReadMessage, readMessage, wordsOf } from './readMessage.ts';

/**
 * Reads a conversation or a bare list of messages: calls, results and thoughts in fields and content parts, or in
 * texts if a map describes them. With calls in fields or parts, the map only defines thought, question and answer.
 * System messages and all other keys go to the trace's `extra`.
 */
export function readChat(value: JsonValue, { turns: map, onUnread }: Reading): ForeignRun {
  const remarks = new RowRemarks(onUnread);
  const { row, messages } = conversationOf(value, remarks);
  const { question, left, rest } = askedQuestion(messages, map);
  return {
    ...(typeof row.id === 'string' && { given_id: row.id }),
    question,
    answers: goldIn(row).gold,
    teacher: typeof row.model === 'string' ? row.model : 'openai',
    turns: chatTurns(rest, map, remarks),
    own: ownRunIn(row),
    extra: { openai: { row, left } as unknown as JsonObject },
    remarks: remarks.list(),
    unread: [...unreadColumns(row, ['model', OWN_KEY]), ...unreadFields(messages)],
  };
}

function conversationOf(value: JsonValue, remarks: RowRemarks) {
  const { row, placed } = messagesIn(value);
  const { messages } = parseRow(openaiConversationSchema, { messages: placed.map(({ message }) => message) });
  for (const media of mediaIn(row)) remarks.unread(media, media);
  return { row, messages: messages.map((message, at) => readMessage(message, placed[at]!.path, remarks)) };
}

/**
 * The one question of a conversation, empty where no user asks; messages that are no part of the run, or of which only
 * the question is (`left`); and the agent's and the tools' messages, with what users say after the agent's first.
 *
 * @throws RowRefusal (`second_user_message`) where more than one is asked before the agent's first turn
 */
function askedQuestion(messages: readonly ReadMessage[], map: TurnMap | undefined) {
  const first = messages.findIndex(({ role }) => role === 'agent' || role === 'call');
  const isAsked = ({ role }: ReadMessage, at: number) => role === 'user' && (first < 0 || at < first);
  const users = messages.filter(isAsked);
  const [asking, second] = map?.question === 'last' ? users.slice(-1) : users;
  if (second) throw refusal('second_user_message', second.path);
  const said = asking ? wordsOf(asking) : '';
  const question = questionIn(said, map?.question_after ?? []);
  const isRest = (each: ReadMessage, at: number) => each.role !== 'instruction' && !isAsked(each, at);
  const left = messages.flatMap((each, at) =>
    isRest(each, at) || (each === asking && question === said) ? [] : [{ at, message: each.message }],
  );
  return { question, left, rest: messages.filter(isRest) };
}

function questionIn(text: string, marks: readonly string[]): string {
  const mark = marks.find((each) => text.includes(each));
  return mark === undefined ? text : text.slice(text.indexOf(mark) + mark.length).trim();
}

/** Keys read of message parts, by path; for messages see `readFields`. */
const readKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  'messages[]': new Set('name tool_call_id tool_call_ids refusal type id from value parts extra'.split(' ')),
  'messages[].content[]': new Set(
    'type text thinking value refusal id name input tool_use_id content is_error'.split(' '),
  ),
  'messages[].tool_calls[]': new Set('id type index function'.split(' ')),
};

/** Unread fields of messages, content parts and calls. */
function unreadFields(messages: readonly ReadMessage[]): string[] {
  const found = new Set<string>();
  const note = (place: string, object: JsonValue | undefined) => {
    for (const [key, value] of Object.entries(isJsonObject(object) ? object : {}))
      if (value != null && !readKeys[place]!.has(key)) found.add(`${place}.${key}`);
  };
  const listOf = (value: unknown) => (Array.isArray(value) ? (value as JsonValue[]) : []);
  for (const { message, kept } of messages) {
    note('messages[]', kept);
    for (const part of listOf(message.content)) note('messages[].content[]', part);
    for (const call of listOf(message.tool_calls)) note('messages[].tool_calls[]', call);
  }
  return [...found].sort();
}
