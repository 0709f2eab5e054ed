import type { CallForm, Marks, TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { RowRefusal } from '../rowRefusal.ts';

/** A part of an agent's turn; `body` is what stands between the marks. */
export type TurnPiece =
  | { readonly kind: 'think' | 'result' | 'answer' | 'text'; readonly body: string }
  | { readonly kind: 'call'; readonly form: CallForm; readonly body: string };

type Opening = { readonly marks: Marks } & (
  | { readonly kind: 'think' | 'result' | 'answer' }
  | { readonly kind: 'call'; readonly form: CallForm }
);

/**
 * An agent's turn in the order in which it was written, in time that grows with its length.
 *
 * @throws RowRefusal (`malformed_row`) for marks that don't pair up, and for a result where only users' turns hold some
 */
export function turnPieces(text: string, map: TurnMap, path: string): TurnPiece[] {
  const pieces = piecesByMarks(text, map, path);
  const fence = map.calls.find((form) => form.form === 'fence');
  if (!fence || pieces.some(({ kind }) => kind === 'call' || kind === 'answer')) return pieces;
  return pieces.flatMap((piece, at) => (at === pieces.length - 1 ? piecesByFence(piece, fence) : [piece]));
}

function piecesByFence(piece: TurnPiece, form: CallForm): TurnPiece[] {
  const found = piece.kind === 'text' ? lastFence(piece.body) : undefined;
  if (!found) return [piece];
  return [
    { kind: 'text', body: found.before },
    { kind: 'text', body: found.after },
    { kind: 'call', form, body: found.inside },
  ];
}

function piecesByMarks(text: string, map: TurnMap, path: string): TurnPiece[] {
  const openings = openingsOf(map);
  const pieces: TurnPiece[] = [];
  const begun = begunThought(text, map.think);
  if (begun !== undefined) pieces.push({ kind: 'think', body: text.slice(0, begun) });
  let at = begun === undefined ? 0 : begun + map.think!.end!.length;
  const pattern = patternOf(openings);
  pattern.lastIndex = at;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    pieces.push({ kind: 'text', body: text.slice(at, found.index) });
    const opening = openings.find(({ marks }) => marks.start === found![0].trimStart())!;
    const start = found.index + found[0].length;
    const end = endOf(text, start, opening, openings, path);
    pieces.push(pieceOf(opening, text.slice(start, end), map, path));
    at = end + (opening.marks.end?.length ?? 0);
    pattern.lastIndex = at;
  }
  pieces.push({ kind: 'text', body: text.slice(at) });
  for (const { kind, body } of pieces) if (kind === 'text') refuseEndMarks(body, openings, path);
  return pieces.filter(({ kind, body }) => kind !== 'text' || body.trim() !== '');
}

function openingsOf({ think, calls, result, answer }: TurnMap): Opening[] {
  return [
    ...(think ? [{ kind: 'think' as const, marks: think }] : []),
    ...calls.flatMap((form) => (form.form === 'fence' ? [] : [{ kind: 'call' as const, form, marks: form }])),
    ...(result === 'turn' ? [] : [{ kind: 'result' as const, marks: result }]),
    ...(answer ? [{ kind: 'answer' as const, marks: answer }] : []),
  ];
}

/** The end of a thought whose start mark the chat template wrote, and not the model. */
function begunThought(text: string, think: Marks | undefined): number | undefined {
  if (think?.end === undefined) return undefined;
  const end = text.indexOf(think.end);
  return end >= 0 && !text.slice(0, end).includes(think.start) ? end : undefined;
}

function patternOf(openings: readonly Opening[]): RegExp {
  const starts = openings.map(({ marks: { start, end } }) => {
    const escaped = start.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    return end === undefined ? `^[ \\t]{0,8}${escaped}` : escaped;
  });
  return new RegExp(starts.length === 0 ? '(?!)' : starts.join('|'), 'gm');
}

function endOf(
  text: string,
  start: number,
  { kind, marks }: Opening,
  openings: readonly Opening[],
  path: string,
): number {
  if (marks.end !== undefined) {
    const end = text.indexOf(marks.end, start);
    if (end >= 0) return end;
    throw new RowRefusal('malformed_row', 'missing_end_tag', path, `${marks.start} is never closed`);
  }
  const isLast = kind === 'call' || kind === 'answer';
  const next = patternOf(isLast ? openings.filter((opening) => opening.kind === 'result') : openings);
  next.lastIndex = start;
  return next.exec(text)?.index ?? text.length;
}

function pieceOf(opening: Opening, body: string, map: TurnMap, path: string): TurnPiece {
  if (opening.kind === 'call') return { kind: 'call', form: opening.form, body };
  if (opening.kind === 'result' && !map.result_in_agent_turn) {
    throw new RowRefusal(
      'malformed_row',
      'result_in_agent_turn',
      path,
      `the agent itself writes ${opening.marks.start}, which only a tool's result begins with`,
    );
  }
  return { kind: opening.kind, body };
}

function refuseEndMarks(text: string, openings: readonly Opening[], path: string): void {
  const stray = openings.find(({ marks }) => marks.end !== undefined && text.includes(marks.end));
  if (!stray) return;
  throw new RowRefusal('malformed_row', 'unexpected_end_tag', path, `${stray.marks.end} closes nothing`);
}

/** The last fenced block of a text, and what stands around it. */
interface LastFence {
  readonly before: string;
  readonly inside: string;
  readonly after: string;
}

const fence = /^```(\S*)\s*\n|^```\s*$/gm;

/** The last fenced block that stands in no other one, as SWE-agent finds its command (`ThoughtActionParser`). */
function lastFence(text: string): LastFence | undefined {
  const open: RegExpExecArray[] = [];
  let last: LastFence | undefined;
  for (const match of text.matchAll(fence)) {
    if (open.length === 0 || match[1]) {
      if (match[1] !== undefined) open.push(match);
      continue;
    }
    const start = open.pop()!;
    if (open.length > 0) continue;
    const from = start.index + start[0].length;
    const after = text.slice(match.index + match[0].length);
    last = { before: text.slice(0, start.index), inside: text.slice(from, match.index), after };
  }
  return last;
}
