import { foldSpace } from '../html/foldSpace.ts';

/** A text on one line without control characters, cut to `maxChars` UTF-16 code units with an ellipsis. */
export function oneLine(text: string | null | undefined, maxChars: number): string {
  // Twice the length is enough to fold: runs of white space that are longer are cut with the rest.
  const start = (text ?? '').slice(0, 2 * maxChars).toWellFormed();
  const folded = foldSpace(start.replace(/\p{Cc}/gu, ' '));
  return folded.length <= maxChars
    ? folded
    : `${folded
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
