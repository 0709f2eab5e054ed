import type { Trajectory } from '../../../schemas/trajectory.ts';
import { bareText } from '../align/comparableText.ts';
import type { EncodedText } from '../tokenText.ts';
import type { AnswerSpans } from './answerSpans.ts';

/** A turn of a conversation in chat markup; places are UTF-16 code units of the row's text. */
export interface ChatTurn {
  readonly role: string;
  /** Where its opening begins; null where a turn may follow text that belongs to none. */
  readonly opened: number | null;
  /** The control token with which a row of such turns begins; null where the markup has none. */
  readonly bos: string | null;
  /** The words of the turn: from the end of its opening to the beginning of its end. */
  readonly from: number;
  readonly to: number;
  /** Behind the control token that closes it; `to` where none does. */
  readonly closed: number;
  /** Behind the line feed that belongs to the end of the turn. */
  readonly end: number;
}

/** How a family of models writes turns. */
interface ChatMarkup {
  /** The opening of a turn, at the place of a control token; the role is its first group, assistant without one. */
  readonly opening: RegExp;
  readonly bos: string | null;
  readonly close: string;
  /** Whether nothing may stand between turns. */
  readonly isTight: boolean;
  /** What follows the closing token and belongs to it. */
  readonly after: string;
}

const markups: readonly ChatMarkup[] = [
  { opening: /<\|im_start\|>([^\n<]{1,40})\n/y, bos: null, close: '<|im_end|>', isTight: true, after: '\n' },
  {
    opening: /<\|start_header_id\|>([^\n<]{1,40})<\|end_header_id\|>\n\n/y,
    bos: '<|begin_of_text|>',
    close: '<|eot_id|>',
    isTight: true,
    after: '',
  },
  { opening: /\[\/INST\] ?/y, bos: '<s>', close: '</s>', isTight: false, after: '' },
];

/** A control token's text and its place. */
export interface ControlPlace {
  readonly token: number;
  readonly text: string;
  readonly at: number;
}

/** The control tokens of a row, in order. */
export function controlPlaces(row: EncodedText, controls: ReadonlyMap<number, string>): ControlPlace[] {
  const places: ControlPlace[] = [];
  for (const [token, id] of row.ids.entries()) {
    const text = controls.get(id);
    if (text !== undefined) places.push({ token, text, at: row.starts[token]! });
  }
  return places;
}

/**
 * The turns of a row, found by its control tokens alone: a text that spells one is no turn. Knows ChatML (Qwen),
 * Llama 3 and Mistral; no turns where the row has none of them.
 */
export function chatTurns(text: string, controls: readonly ControlPlace[]): ChatTurn[] {
  for (const markup of markups) {
    const turns = turnsOf(text, controls, markup);
    if (turns.length > 0) return turns;
  }
  return [];
}

function turnsOf(text: string, controls: readonly ControlPlace[], markup: ChatMarkup): ChatTurn[] {
  const turns: ChatTurn[] = [];
  let cursor = 0;
  for (const { at } of controls) {
    if (at < cursor) continue;
    markup.opening.lastIndex = at;
    const opening = markup.opening.exec(text);
    if (!opening) continue;
    const from = at + opening[0].length;
    const close = controls.find((control) => control.at >= from && control.text === markup.close);
    const to = close?.at ?? text.length;
    const closed = close ? to + close.text.length : to;
    const end = close && text.startsWith(markup.after, closed) ? closed + markup.after.length : closed;
    const opened = markup.isTight ? at : null;
    turns.push({ role: opening[1] ?? 'assistant', opened, bos: markup.bos, from, to, closed, end });
    cursor = end;
  }
  return turns;
}

/** Characters of an answer's beginning that are looked for. */
const beginning = 200;
const cutWords = 12;

/**
 * The model's turn of a row whose chat template is none of the known ones, found by its trajectory: it begins where
 * the answer's first words stand, and what follows the last end tag closes it.
 */
export function customTurns(text: string, trajectory: Trajectory | undefined): ChatTurn[] {
  const last = trajectory?.segments.at(-1);
  if (!trajectory || !last) return [];
  const answer = trajectory.segments.map((segment) => segment.text).join('');
  const from = answerPlace(text, answer);
  if (from === undefined) return [];
  const endTag = `</${last.tag}>`;
  const closing = text.lastIndexOf(endTag);
  const to = closing < from ? text.length : closing + endTag.length;
  return [{ role: 'assistant', opened: null, bos: null, from, to, closed: text.length, end: text.length }];
}

function answerPlace(text: string, answer: string): number | undefined {
  const start = answer.slice(0, answer.indexOf('>') + 1);
  // The last few may be half a character, or one that the next would join.
  const words = bareText(answer.slice(0, beginning)).slice(0, -cutWords);
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    // Every look-alike may have got a backslash.
    if (bareText(text.slice(at, at + 2 * beginning)).startsWith(words)) return at;
  }
  return undefined;
}

/** An answer with the turn that holds it. */
export interface AnswerOfTurn {
  readonly turn: ChatTurn;
  readonly answer: AnswerSpans;
}
