/** Escape sequences of terminals: colours, cursor movements, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** What a progress bar looks like: `12%|####   | 3/25 [00:05<00:12, ...`. */
const progressBar = /\d%\|[^|]{0,500}\| {0,20}\d{1,12}\/\d/;

/** Nobody reads more of a line; rules over a line that a trainer makes endless would take their time. */
const MAX_LINE_CHARS = 2_000;

/** torch writes the rank before each line of an error in a worker. */
const rankPrefix = /^\[rank\d+\]: ?/;

/**
 * What a trainer printed as lines of plain text: without terminal sequences, and of what was drawn over again and again
 * (progress bars) nothing.
 */
export function plainConsole(text: string): string[] {
  return text
    .replace(escapeSequence, '')
    .split(/\r?\n/)
    .map((line) =>
      (line.split('\r').findLast((part) => part.trim() !== '') ?? '')
        .slice(0, MAX_LINE_CHARS)
        .replace(rankPrefix, '')
        .trimEnd(),
    )
    .filter((line) => line !== '' && !progressBar.test(line));
}
