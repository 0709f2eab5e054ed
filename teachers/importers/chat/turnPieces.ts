import type { CallForm, Marks, TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';
import { begunThought } from '../runs/spokenText.ts';
import type { MessagePiece } from './readMessage.ts';
import { trimmedResult } from './textResults.ts';
import { writtenCall } from './writtenCall.ts';

type Opening = { readonly marks: Marks } & (
  | { readonly kind: 'think' | 'result' | 'answer' }
  | { readonly kind: 'call'; readonly form: CallForm }
);

/**
 * Pieces of an agent's turn in written order, in linear time.
 * @throws RowRefusal (`malformed_row`) for marks that don't pair up, for a call that is not of its form, and for a result
 * where only users' turns hold some
 */
export function turnPieces(text: string, map: TurnMap, path: string): MessagePiece[] {
  return new TurnText(map, path).pieces(text);
}

class TurnText {
  readonly #map: TurnMap;
  readonly #path: string;
  readonly #openings: readonly Opening[];
  #calls = 0;

  constructor(map: TurnMap, path: string) {
    this.#map = map;
    this.#path = path;
    const { think, calls, result, answer } = map;
    const resultMarks = resultMarksOf(result);
    this.#openings = [
      ...(think ? [{ kind: 'think' as const, marks: think }] : []),
      ...calls.flatMap((form) =>
        form.form === 'fence' ? [] : [{ kind: 'call' as const, form, marks: form }],
      ),
      ...(resultMarks ? [{ kind: 'result' as const, marks: resultMarks }] : []),
      ...(answer ? [{ kind: 'answer' as const, marks: answer }] : []),
    ];
  }

  pieces(text: string): MessagePiece[] {
    const pieces = this.#byMarks(text);
    const fence = this.#map.calls.find(({ form }) => form === 'fence');
    const last = pieces.at(-1);
    if (!fence || last?.kind !== 'text' || pieces.some(({ kind }) => kind === 'call' || kind === 'answer'))
      return pieces;
    return [...pieces.slice(0, -1), ...this.#byFence(last.body, fence)];
  }

  #byFence(text: string, form: CallForm): MessagePiece[] {
    const found = lastFence(text);
    if (!found) return [{ kind: 'text', body: text }];
    const around = [text.slice(0, found.start), text.slice(found.end)];
    return [...around.map((body) => ({ kind: 'text' as const, body })), this.#call(form, found.inside)];
  }

  #byMarks(text: string): MessagePiece[] {
    const { think } = this.#map;
    const begun = think && begunThought(text, think);
    const pieces: MessagePiece[] = begun === undefined ? [] : [{ kind: 'think', body: text.slice(0, begun) }];
    let at = begun === undefined ? 0 : begun + think!.end.length;
    const pattern = patternOf(this.#openings);
    pattern.lastIndex = at;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      pieces.push(...this.#between(text.slice(at, found.index)));
      const opening = this.#openings.find(({ marks }) => marks.start === found![0])!;
      const start = found.index + found[0].length;
      const end = this.#endOf(text, start, opening);
      pieces.push(this.#piece(opening, text.slice(start, end)));
      at = end + opening.marks.end.length;
      pattern.lastIndex = at;
    }
    return [...pieces, ...this.#between(text.slice(at))];
  }

  #between(body: string): MessagePiece[] {
    const stray = this.#openings.find(({ marks }) => body.includes(marks.end));
    if (stray) throw refusal('unexpected_end_tag', this.#path, `found ${stray.marks.end}`);
    return body.trim() === '' ? [] : [{ kind: 'text', body }];
  }

  /** Handles a missing end mark: an OpenHands agent stops at the end mark of a call. */
  #endOf(text: string, start: number, opening: Opening): number {
    const { marks } = opening;
    const end = text.indexOf(marks.end, start);
    if (end < 0 && opening.kind === 'call' && opening.form.form === 'parameters') return text.length;
    if (end < 0) throw refusal('missing_end_tag', this.#path, `found ${marks.start}`);
    return end;
  }

  #piece(opening: Opening, body: string): MessagePiece {
    const { kind, marks } = opening;
    if (kind === 'call') return this.#call(opening.form, body);
    if (kind !== 'result') return { kind, body };
    if (!this.#map.result_in_agent_turn)
      throw refusal('result_in_agent_turn', this.#path, `found ${marks.start}`);
    return { kind, result: { path: this.#path, texts: [trimmedResult(body)] } };
  }

  #call(form: CallForm, body: string): MessagePiece {
    return { kind: 'call', call: writtenCall(form, body, `${this.#path}.call[${this.#calls++}]`) };
  }
}

/** Marks around results; undefined if a whole turn is one. */
export function resultMarksOf(result: TurnMap['result']): Marks | undefined {
  return result === 'turn' || 'after' in result ? undefined : result;
}

function patternOf(openings: readonly Opening[]): RegExp {
  const starts = openings.map(({ marks }) => marks.start.replace(/\W/g, '\\$&'));
  return new RegExp(starts.length === 0 ? '(?!)' : starts.join('|'), 'g');
}

const fence = /^```(\S*)\s*\n|^```\s*$/gm;

/** Last top-level fenced block, as SWE-agent finds its command (`ThoughtActionParser`). */
function lastFence(text: string) {
  const open: RegExpExecArray[] = [];
  let last: { readonly start: number; readonly inside: string; readonly end: number } | undefined;
  for (const match of text.matchAll(fence)) {
    if (open.length === 0 || match[1]) {
      if (match[1] !== undefined) open.push(match);
      continue;
    }
    const { index: start, 0: mark } = open.pop()!;
    const inside = text.slice(start + mark.length, match.index);
    if (open.length === 0) last = { start, inside, end: match.index + match[0].length };
  }
  return last;
}
