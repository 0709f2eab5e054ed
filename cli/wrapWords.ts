import { stripVTControlCharacters } from 'node:util';

/** Where a line may go on in the next: never in a command of this program, and not between a name and its number. */
const breaks = / +(?!\d[\d,.]*(?:[,;.)]|$))/;
const command = /(?<=^|[\s`(])(?:npx |\S*\/)?coa-distill(?:\.js)? .*$/;

/**
 * A line as several, broken between words; a longer word and a command, which is there to be pasted, stay whole.
 *
 * @param width characters of a line at most
 * @param hang what stands before all lines but the first; default: the line's own indent, or the place behind its first
 * column
 */
export function wrapWords(line: string, width: number, hang = hangOf(line, width)): string[] {
  if (lengthOf(line) <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const whole = command.exec(line);
  const words = (whole ? line.slice(0, whole.index) : line).slice(indent.length).trimEnd().split(breaks);
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const word of whole ? [...words, whole[0]] : words) {
    const next = isEmpty ? `${current}${word}` : `${current} ${word}`;
    if (isEmpty || lengthOf(next) <= width) current = next;
    else {
      lines.push(current);
      current = `${hang}${word}`;
    }
    isEmpty = false;
  }
  return [...lines, current];
}

/** Characters that a text takes on the screen, colours left out. */
export function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Continued lines stand behind a first column such as `filter        dropped: ...`, or below their beginning. */
function hangOf(line: string, width: number): string {
  const [before = ''] = /^ *\S+ {2,}/.exec(line) ?? /^ */.exec(line) ?? [];
  return ' '.repeat(before.length < width / 2 ? before.length : 2);
}

/** All of a text's lines broken between words; on what is not a terminal as they are. */
export function fitted(
  text: string,
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
): string {
  if (!isTTY || !columns) return text;
  return text
    .split('\n')
    .flatMap((line) => wrapWords(line, columns))
    .join('\n');
}
