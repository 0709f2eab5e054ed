import type { Trajectory } from '../../schemas/trajectory.ts';
import { bareText } from './alignRows.ts';
import { type Fault, fault } from './rules.ts';
import type { EncodedText } from './tokenText.ts';

/** A turn of a conversation in chat markup; places are UTF-16 code units of the row's text. */
export interface ChatTurn {
  readonly role: string;
  /** Start of its opening; null where text that belongs to no turn may stand before it. */
  readonly opened: number | null;
  /** Control token with which a row of such turns begins. */
  readonly bos: string | null;
  /** The words of the turn. */
  readonly from: number;
  readonly to: number;
  /** End of the control token that closes it; `to` where none does. */
  readonly closed: number;
  /** End of the line feed that belongs to the end of the turn. */
  readonly end: number;
}

/** How a family of models writes turns. */
interface ChatMarkup {
  /** The opening of a turn, at a control token; the role is its first group, assistant without one. */
  readonly opening: RegExp;
  readonly bos: string | null;
  readonly close: string;
  /** Whether nothing may stand between turns. */
  readonly isTight: boolean;
  /** Text after the closing token that belongs to it. */
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
  return row.ids.flatMap((id, token) => {
    const text = controls.get(id);
    return text === undefined ? [] : [{ token, text, at: row.starts[token]! }];
  });
}

/** The turns of a row in ChatML, Llama 3 or Mistral markup, found by control tokens: a text that spells one is no turn. */
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

/** The model's turn in a text without turns: up to the control token at its end. */
export function textTurn(text: string, controls: readonly ControlPlace[], from: number): ChatTurn {
  const last = controls.at(-1);
  const isEnd = last !== undefined && last.at >= from && last.at + last.text.length === text.length;
  const to = isEnd ? last.at : text.length;
  return { role: 'assistant', opened: null, bos: null, from, to, closed: text.length, end: text.length };
}

/** Characters of an answer's beginning that are looked for. */
const beginning = 200;

/** The model's turn in unknown markup: from its trajectory's first words to its last end tag. */
export function customTurns(text: string, trajectory: Trajectory | undefined): ChatTurn[] {
  const last = trajectory?.segments.at(-1);
  if (!last) return [];
  const answer = trajectory!.segments.map((segment) => segment.text).join('');
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
  const words = bareText(answer.slice(0, beginning)).slice(0, -12);
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    // Every look-alike may have a backslash more.
    if (bareText(text.slice(at, at + 2 * beginning)).startsWith(words)) return at;
  }
  return undefined;
}

/** Tokens that begin a text in the vocabularies in use; Qwen has none. */
const knownBos = new Set(['<|begin_of_text|>', '<s>', '<bos>', '<|startoftext|>', '<｜begin▁of▁sentence｜>']);

/** A row begins with one BOS where its markup has one, then with its first turn. */
export function startFaults(
  row: EncodedText,
  controls: readonly ControlPlace[],
  turns: readonly ChatTurn[],
): Fault[] {
  const [first] = turns;
  if (first === undefined) return [];
  let from = 0;
  let begun = 0;
  for (; controls[begun]?.at === from && knownBos.has(controls[begun]!.text); begun += 1)
    from += controls[begun]!.text.length;
  if (begun > 1) return [fault('wrong_start', `${controls[0]!.text} stands ${begun} times`, 0)];
  const stray = first.opened === null ? '' : row.text.slice(from, first.opened);
  if (stray !== '')
    return [
      fault('wrong_start', `${JSON.stringify(stray.slice(0, 40))} stands before the first turn`, begun),
    ];
  if (first.bos === null || begun > 0) return [];
  return [fault('wrong_start', `${first.bos} is missing at the beginning of the row`, 0)];
}
