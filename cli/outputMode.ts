import { once } from 'node:events';
import { styleText } from 'node:util';
import { wrapWords } from './wrapWords.ts';

/** How the command that runs prints; set once for each. */
export const outputMode = {
  /** `--quiet`: results, warnings of what was lost and errors alone, no progress. */
  isQuiet: false,
};

/** Sets how a command prints, by its arguments. */
export function readOutputMode(argv: readonly string[]): void {
  outputMode.isQuiet = argv.includes('--quiet');
  if (argv.includes('--no-color')) {
    delete process.env.FORCE_COLOR;
    process.env.NO_COLOR = '1';
  }
  if (argv.includes('--json')) return;
  for (const [name, stream] of [
    ['log', process.stdout],
    ['error', process.stderr],
  ] as const)
    if (stream.isTTY) breakBetweenWords(name, stream);
}

/** A terminal breaks long lines in the middle of words. */
function breakBetweenWords(name: 'log' | 'error', { columns }: NodeJS.WriteStream): void {
  const write = console[name];
  console[name] = (text: unknown = '') => {
    const lines = String(text).split('\n');
    write(lines.flatMap((line) => wrapWords(line, columns)).join('\n'));
  };
}

/** What a text is shown in. */
export type Colour = 'green' | 'red' | 'yellow' | 'gray';

/** A text in colour where the stream is a terminal that shows it and `NO_COLOR` is not set. */
export function coloured(
  colour: Colour,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  return styleText(colour, text, { stream });
}

/** Writes to stdout and waits while its reader is slow, so that findings don't pile up in memory. */
export async function print(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
