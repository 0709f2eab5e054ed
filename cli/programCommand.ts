import { basename, dirname } from 'node:path';
import { once } from '../base/once.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { commandNames } from './commandTable.ts';

/** Program name in messages and help. */
const NAME = 'coa-distill';

/**
 * Command that starts this program: its name if started by the shell or npm, otherwise its path.
 *
 * @param program the path that Node was given
 */
export function programCommand(program: string | undefined = process.argv[1]): string {
  if (program === undefined) return NAME;
  if (program.endsWith(`${NAME}.js`)) return quoteShellWord(program);
  return basename(dirname(program)) === '.bin' ? `npx ${NAME}` : NAME;
}

/**
 * Rewrites commands in a message, such as `coa-distill doctor`, so that they can be pasted into the user's shell. Only
 * for printed text; records and JSON keep the plain name.
 */
export function runnable(message: string): string {
  return message.replaceAll(commandPattern(), () => `${programCommand()} `);
}

/** Matches the program's name before a command. */
const commandPattern = once(
  () => new RegExp(`(?<![\\w/.-])${NAME} (?=(?:${commandNames.join('|')})(?![\\w-]))`, 'g'),
);
