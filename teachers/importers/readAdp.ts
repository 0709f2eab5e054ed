import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type AdpItem, adpTrajectorySchema } from '../../schemas/interchange/adp.ts';
import { OWN_KEY, ownRunIn } from '../../schemas/interchange/ownRun.ts';
import { type TurnMap, turnMapPresets } from '../../schemas/interchange/turnMap.ts';
import { goldIn, unreadColumns } from '../../schemas/rows/rowCodec.ts';
import { turnPieces } from './chat/turnPieces.ts';
import { spokenMessage } from './chat/writtenCall.ts';
import { parseRow, refusal } from './rowRefusal.ts';
import { RowRemarks } from './rowRemarks.ts';
import type { ForeignCall, ForeignRun, ForeignTurn, Reading } from './runs/foreignRun.ts';
import { endedText } from './runs/spokenText.ts';

type Call = Extract<AdpItem, { class_: 'api_action' | 'code_action' }>;
type Action = Call | Extract<AdpItem, { class_: 'message_action' }>;
type Observation = Exclude<AdpItem, Action>;

/**
 * Reads a trajectory of the Agent Data Protocol. The protocol links an observation only to the preceding action;
 * `details` and content without a place in a trace go to the trace's `extra`.
 */
export function readAdp(
  value: JsonValue,
  { onUnread, turns: map = turnMapPresets.adp }: Reading,
): ForeignRun {
  const { content, details, ...row } = parseRow(adpTrajectorySchema, value);
  const remarks = new RowRemarks(onUnread);
  const own = ownRunIn(details);
  const reading = { remarks, ...(!own && { map }) };
  const spoken = content.flatMap((item, at) => {
    const before = content[at - 1];
    return isAction(item) || (before && isCall(before)) ? [] : [{ at, item }];
  });
  const [asked, second] = spoken.filter(({ at, item }) => isWords(item, `content[${at}]`, remarks));
  if (second) throw refusal('second_user_message', `content[${second.at}]`);
  const left = spoken.filter((each) => each !== asked);
  return {
    given_id: row.id,
    question: asked?.item.class_ === 'text_observation' ? asked.item.content : '',
    answers: goldIn(details).gold,
    teacher: 'adp',
    turns: content.flatMap((item, at) =>
      isAction(item) ? [turnOf(item, content[at + 1], at, reading)] : [],
    ),
    own,
    extra: { adp: { ...row, details, left } as unknown as JsonObject },
    remarks: remarks.list(),
    unread: unreadColumns(details, [OWN_KEY]).map((name) => `details.${name}`),
  };
}

/** True if an observation without a call is user text; false for an image. */
function isWords(item: Observation, path: string, remarks: RowRemarks): boolean {
  if (item.class_ === 'image_observation') remarks.unread('image', path);
  else if (item.class_ !== 'text_observation' || item.source !== 'user')
    throw refusal('result_without_call', path);
  return item.class_ === 'text_observation';
}

/** `map` is absent for our own rows, whose arguments and text are unchanged. */
interface AdpReading {
  readonly remarks: RowRemarks;
  readonly map?: TurnMap;
}

function turnOf(item: Action, next: AdpItem | undefined, at: number, reading: AdpReading): ForeignTurn {
  const { remarks, map } = reading;
  const path = `content[${at}]`;
  const isMessage = item.class_ === 'message_action';
  const { reward, description, reasoning_content } = item;
  const kept = {
    ...(reward != null && { reward }),
    ...(isMessage && description != null && { description }),
  };
  const observation = () => (next && !isAction(next) ? observed(next, `content[${at + 1}]`, remarks) : null);
  const extra = Object.keys(kept).length > 0 && { extra: { adp: kept } };
  const thought = reasoning_content ?? (isMessage ? description : null);
  if (!isMessage) {
    const calls = [{ path, observation: observation(), ...callOf(item, reading) }];
    return { path, reasoning: thought, text: description ?? '', calls, ...extra };
  }
  return { path, ...spokenTurn(item.content, thought, { path, map }), ...extra };
}

/** Converts a message to a turn; the map distinguishes calls and the answer from other text. */
function spokenTurn(
  content: string,
  thought: string | null | undefined,
  { path, map }: { readonly path: string; readonly map: TurnMap | undefined },
): Pick<ForeignTurn, 'reasoning' | 'text' | 'action' | 'calls'> {
  const holdsCall = map?.calls.some((form) => form.form !== 'fence' && content.includes(form.start));
  const ended = map?.answer && endedText(content, map.answer);
  if (!map || !(holdsCall || ended)) return { reasoning: thought, text: content, calls: [] };
  const pieces = turnPieces(content, map, path);
  const wordsOf = (...kinds: string[]) =>
    pieces.flatMap((piece) => ('body' in piece && kinds.includes(piece.kind) ? [piece.body.trim()] : []));
  const calls = pieces.flatMap((piece) =>
    piece.kind === 'call'
      ? [{ path, name: piece.call.name, input: piece.call.input, observation: null }]
      : [],
  );
  const answer = wordsOf('answer').map(spokenMessage)[0];
  const reasoning = [thought ?? '', ...wordsOf('think', 'text')].filter((text) => text !== '').join('\n\n');
  return { reasoning, text: answer ?? '', calls, ...(answer !== undefined && { action: 'answer' as const }) };
}

function callOf(item: Call, { remarks, map }: AdpReading): Pick<ForeignCall, 'name' | 'input' | 'extra'> {
  if (item.class_ === 'code_action') {
    const { language, content: code } = item;
    return { name: language, input: { code }, extra: { adp: { language } } };
  }
  const { function: name, kwargs } = item;
  return {
    name,
    input: map ? remarks.withoutNulls(kwargs) : kwargs,
    extra: { adp: { function: name, kwargs } },
  };
}

/** Observation shown to the agent; for a page its accessibility tree, otherwise its HTML. */
function observed(item: Observation, path: string, remarks: RowRemarks): string {
  if (item.class_ === 'text_observation') return item.content;
  if (item.class_ === 'image_observation' || item.image_observation) remarks.unread('image', path);
  else remarks.add('web_pages_as_text');
  return item.class_ === 'web_observation' ? (item.axtree ?? item.html ?? '') : '';
}

function isCall(item: AdpItem): item is Call {
  return item.class_ === 'api_action' || item.class_ === 'code_action';
}

function isAction(item: AdpItem): item is Action {
  return isCall(item) || item.class_ === 'message_action';
}
