import { once } from 'node:events';
import { styleText } from 'node:util';
import { wrapWords } from './wrapWords.ts';

/** Output settings of the current command. */
export const outputMode = {
  /** `--quiet`: prints results, warnings about losses and errors, but no progress. */
  isQuiet: false,
};

/** Sets the output mode from the arguments. */
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

/** Wraps long lines between words, since terminals break inside words. */
function breakBetweenWords(name: 'log' | 'error', { columns }: NodeJS.WriteStream): void {
  const write = console[name];
  console[name] = (text: unknown = '') => {
    const lines = String(text).split('\n');
    write(lines.flatMap((line) => wrapWords(line, columns)).join('\n'));
  };
}

export type Colour = 'green' | 'red' | 'yellow' | 'gray';

/** Colours a text if the stream is a terminal with colours and `NO_COLOR` is not set. */
export function coloured(
  colour: Colour,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  return styleText(colour, text, { stream });
}

/** Writes to stdout with back pressure, so that findings do not pile up in memory. */
export async function print(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
