import { basename, dirname } from 'node:path';
import { once } from '../base/once.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { commandNames } from './commandTable.ts';

/** The program's name, as messages and help say it. */
const NAME = 'coa-distill';

/**
 * What starts this program again: its name where the shell or npm found it by one, otherwise the path that started it.
 *
 * @param program the path that Node was given
 */
export function programCommand(program: string | undefined = process.argv[1]): string {
  if (program === undefined) return NAME;
  if (program.endsWith(`${NAME}.js`)) return quoteShellWord(program);
  return basename(dirname(program)) === '.bin' ? `npx ${NAME}` : NAME;
}

/**
 * A message in which every command of this program, such as `coa-distill doctor`, can be pasted into the user's shell.
 * What is printed for people passes through here; records on disk and JSON keep the plain name.
 */
export function runnable(message: string): string {
  return message.replaceAll(commandPattern(), () => `${programCommand()} `);
}

/** The program's name before one of its commands. */
const commandPattern = once(
  () => new RegExp(`(?<![\\w/.-])${NAME} (?=(?:${commandNames.join('|')})(?![\\w-]))`, 'g'),
);
