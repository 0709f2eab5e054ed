import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { openaiConversationSchema } from '../../../schemas/interchange/openaiChat.ts';
import { ownRunIn } from '../../../schemas/interchange/ownRun.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { goldIn } from '../../../schemas/rows/rowCodec.ts';
import { parseRow, refusal } from '../rowRefusal.ts';
import { RowRemarks } from '../rowRemarks.ts';
import type { ForeignRun, Reading } from '../runs/foreignRun.ts';
import { chatTurns } from './chatTurns.ts';
import { messagesIn } from './messageLayouts.ts';
import { type ReadMessage, readMessage, wordsOf } from './readMessage.ts';

/** Columns of what the marks such as `<image>` in the texts stand for: LLaMA-Factory and ms-swift. */
const mediaKeys = ['images', 'videos', 'audios'] as const;

/**
 * Reads a conversation, or a bare list of messages: calls, results and thoughts in fields and in parts of the content,
 * or in the texts of turns, where a map says how to read them. Where calls stand in fields or parts, the map says only
 * what is thought, question and answer. System messages and every other key are kept in the trace's `extra`.
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
  };
}

function conversationOf(value: JsonValue, remarks: RowRemarks) {
  const { row, placed } = messagesIn(value);
  const { messages } = parseRow(openaiConversationSchema, { messages: placed.map(({ message }) => message) });
  for (const media of mediaKeys) if ([row[media] ?? []].flat().length > 0) remarks.unread(media, media);
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
