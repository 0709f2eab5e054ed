import type { Marks, TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';

/** A turn with results of tools. */
interface ResultTurn {
  readonly text: string;
  readonly path: string;
  /** True for a turn of the role `tool`, in which marks are optional. */
  readonly isTools: boolean;
  /** Number of calls that wait for a result. */
  readonly waiting: number;
}

/**
 * Results in one turn. A single pending call takes the whole text, even with such marks inside: pages may contain
 * them.
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

/** Text between the first and the last mark of a turn; undefined if other text surrounds them. */
function insideOf(text: string, { start, end }: Marks): string | undefined {
  const whole = text.trim();
  const isWhole = whole.length >= start.length + end.length && whole.startsWith(start) && whole.endsWith(end);
  return isWhole ? whole.slice(start.length, whole.length - end.length) : undefined;
}

/** Splits consecutive results; an end mark without a following start mark belongs to a result's text. */
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

/** Removes the line feeds next to the marks. */
export function trimmedResult(text: string): string {
  return text.replace(/^[ \n]/, '').replace(/\n$/, '');
}
