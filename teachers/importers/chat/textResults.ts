import type { Marks, TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';

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
 * @throws RowRefusal for a user's turn that is not a result
 */
export function textResults(
  { text, path, isTools, waiting }: ResultTurn,
  marks: TurnMap['result'],
): string[] {
  if (marks === 'turn') return [text];
  if ('after' in marks) {
    const whole = text.trimStart();
    return [whole.startsWith(marks.after) ? trimmedResult(whole.slice(marks.after.length)) : text];
  }
  const inside = insideOf(text, marks);
  if (inside !== undefined)
    return (waiting === 1 ? [inside] : splitResults(inside, marks)).map(trimmedResult);
  if (isTools) return [text];
  throw refusal('second_user_message', path, `expected a result in ${marks.start}...${marks.end}`);
}

/** What stands between the first and the last mark of a turn; undefined where something else stands around them. */
function insideOf(text: string, { start, end }: Marks): string | undefined {
  const whole = text.trim();
  const isWhole = whole.length >= start.length + end.length && whole.startsWith(start) && whole.endsWith(end);
  return isWhole ? whole.slice(start.length, whole.length - end.length) : undefined;
}

/** Results that stand one after another; an end mark without a start mark behind it is a result's own text. */
function splitResults(inside: string, { start, end }: Marks): string[] {
  const [first = '', ...parts] = inside.split(end);
  const results = [first];
  for (const part of parts) {
    const next = part.trimStart();
    if (next.startsWith(start)) results.push(next.slice(start.length));
    else results.push(`${results.pop()}${end}${part}`);
  }
  return results;
}

/** The line feeds next to the marks are the marks' own. */
export function trimmedResult(text: string): string {
  return text.replace(/^[ \n]/, '').replace(/\n$/, '');
}
