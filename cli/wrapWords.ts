import { stripVTControlCharacters } from 'node:util';

/** Allowed line breaks: never inside a command, which must stay pasteable, nor between a name and its number. */
const breaks = /( +)(?!\d[\d,.]*(?:[,;.)]|$))/;
const command =
  /(?:(?<=^|[\s`(])(?:npx |\S*\/)?coa-distill(?:\.js)?|(?<=^| {2})ls|(?<=: )python3 -m venv) [^·].*$/;

/**
 * Wraps a line between words; longer words and commands are kept whole.
 *
 * @param width maximum characters of a line
 * @param hang prefix of all lines but the first; default: the line's own indent, or the start of its second column
 */
export function wrapWords(line: string, width: number, hang = hangOf(line, width)): string[] {
  if (lengthOf(line) <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const end = command.exec(line)?.index ?? line.length;
  const words = line.slice(indent.length, end).trimEnd().split(breaks);
  const spaces = words.filter((_, at) => at % 2 === 1);
  const whole = end < line.length ? [line.slice(end)] : [];
  const lines: string[] = [];
  let current = '';
  for (const [at, word] of [...words.filter((_, at) => at % 2 === 0), ...whole].entries()) {
    const next = `${current}${at === 0 ? indent : (spaces[at - 1] ?? ' ')}${word}`;
    const fits = at === 0 || lengthOf(next) <= width;
    if (!fits) lines.push(current);
    current = fits ? next : `${hang}${word}`;
  }
  return [...lines, current];
}

/** Displayed length of a text, without colours. */
export function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Indent of continued lines: after a first column such as `filter        dropped: ...`, or below their beginning. */
function hangOf(line: string, width: number): string {
  const text = stripVTControlCharacters(line);
  const [before = ''] = /^ *\S+ {2,}/.exec(text) ?? /^ */.exec(text) ?? [];
  const { length } = before;
  return ' '.repeat(length < width / 2 ? length : 2);
}
