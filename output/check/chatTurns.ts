import type { Trajectory } from '../../schemas/trajectory.ts';
import { bareText } from './alignRows.ts';
import { type Fault, fault } from './rules.ts';
import type { EncodedText } from './tokenText.ts';

/** Turn of a conversation in chat markup; positions are UTF-16 code units of the row's text. */
export interface ChatTurn {
  readonly role: string;
  /** Start of its opening; null if unrelated text may precede it. */
  readonly opened: number | null;
  /** Control token that begins a row of such turns. */
  readonly bos: string | null;
  /** Start of the turn's text. */
  readonly from: number;
  readonly to: number;
  /** End of the control token that closes it; `to` without one. */
  readonly closed: number;
  /** End of the line feed that belongs to the turn. */
  readonly end: number;
}

/** Turn syntax of a model family. */
interface ChatMarkup {
  /** Opening of a turn at a control token; group 1 is the role, assistant by default. */
  readonly opening: RegExp;
  readonly bos: string | null;
  readonly close: string;
  /** True if no text may occur between turns. */
  readonly isTight: boolean;
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

export interface ControlPlace {
  readonly token: number;
  readonly text: string;
  readonly at: number;
}

export function controlPlaces(row: EncodedText, controls: ReadonlyMap<number, string>): ControlPlace[] {
  return row.ids.flatMap((id, token) => {
    const text = controls.get(id);
    return text === undefined ? [] : [{ token, text, at: row.starts[token]! }];
  });
}

/** Finds turns in ChatML, Llama 3 or Mistral markup by control tokens, so that text which spells one is no turn. */
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

/** Model turn in a text without turns: up to the control token at its end. */
export function textTurn(text: string, controls: readonly ControlPlace[], from: number): ChatTurn {
  const last = controls.at(-1);
  const isEnd = last !== undefined && last.at >= from && last.at + last.text.length === text.length;
  const to = isEnd ? last.at : text.length;
  return { role: 'assistant', opened: null, bos: null, from, to, closed: text.length, end: text.length };
}

/** Length of an answer's prefix used for the search. */
const beginning = 200;

/** Model turn in unknown markup: from the first words of its trajectory to its last end tag. */
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
  // The last few characters may be split or merged by what follows.
  const words = bareText(answer.slice(0, beginning)).slice(0, -12);
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    // Each look-alike may have one more backslash.
    if (bareText(text.slice(at, at + 2 * beginning)).startsWith(words)) return at;
  }
  return undefined;
}

/** BOS tokens of the vocabularies in use; Qwen has none. */
const knownBos = new Set(['<|begin_of_text|>', '<s>', '<bos>', '<|startoftext|>', '<｜begin▁of▁sentence｜>']);

/** Checks that a row begins with one BOS token, if its markup has one, followed by its first turn. */
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
