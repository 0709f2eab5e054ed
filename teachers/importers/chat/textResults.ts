import type { Marks, TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { RowRefusal } from '../rowRefusal.ts';

/** A turn that holds what tools gave. */
interface ResultTurn {
  readonly text: string;
  readonly path: string;
  /** True for a turn of the role `tool`, where marks may be absent. */
  readonly isTools: boolean;
  /** How many calls wait for a result. */
  readonly waiting: number;
}

/**
 * What tools gave in one turn. One waiting call takes all of it, also where it holds such marks itself: pages may.
 *
 * @throws RowRefusal for a user's turn that is no result
 */
export function textResults(turn: ResultTurn, marks: TurnMap['result']): string[] {
  const { text, path, isTools, waiting } = turn;
  if (marks === 'turn') return [text];
  const { start, end } = marks;
  const inside = insideOf(text, marks);
  if (inside !== undefined) {
    if (end === undefined) return [inside.replace(leadingGap, '')];
    return waiting === 1 ? [trimmedResult(inside)] : splitResults(inside, start, end).map(trimmedResult);
  }
  if (isTools) return [text];
  throw new RowRefusal(
    'unsupported_row',
    'second_user_message',
    path,
    `the user speaks again here: expected a result ${end === undefined ? `that begins with ${start}` : `in ${start}...${end}`}`,
  );
}

/** What stands between the first and the last mark of a turn; undefined where something else stands around them. */
function insideOf(text: string, { start, end }: Marks): string | undefined {
  const whole = end === undefined ? text.trimStart() : text.trim();
  const inside = whole.slice(start.length, end === undefined ? undefined : -end.length);
  return whole.startsWith(start) && (end === undefined || whole === `${start}${inside}${end}`)
    ? inside
    : undefined;
}

/** Results that stand one after another; an end mark without a start mark behind it is a result's own text. */
function splitResults(inside: string, start: string, end: string): string[] {
  const [first = '', ...parts] = inside.split(end);
  const results = [first];
  for (const part of parts) {
    const next = part.trimStart();
    if (next.startsWith(start)) results.push(next.slice(start.length));
    else results.push(`${results.pop()}${end}${part}`);
  }
  return results;
}

/** What may stand between a mark and a result. */
const leadingGap = /^[ \n]/;

/** The line feeds next to the marks are the marks' own. */
export function trimmedResult(text: string): string {
  return text.replace(leadingGap, '').replace(/\n$/, '');
}
