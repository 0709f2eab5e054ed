import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { once } from '../base/once.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { commandNames } from './commandTable.ts';

/** The program's name, as messages and help say it. */
const NAME = 'coa-distill';

interface Start {
  /** The path that Node was given; default: this process's. */
  readonly program?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly folder?: string;
}

/**
 * What starts this program from where the user stands: its name where the shell finds it, `npx coa-distill` in a
 * project that has it, otherwise the path that started it.
 */
export function programCommand(start: Start = {}): string {
  const { program = process.argv[1], env = process.env, folder = process.cwd() } = start;
  const real = program === undefined ? undefined : realPath(program);
  if (program === undefined || real === undefined || !real.endsWith(`${NAME}.js`)) return NAME;
  const folders = shellPath(env);
  if (folders.some((bin) => realPath(join(bin, NAME)) === real)) return NAME;
  if (folders.some((bin) => existsSync(join(bin, 'npx'))) && isFoundByNpx(real, folder)) return `npx ${NAME}`;
  return isExecutable(program) ? quoteShellWord(program) : `node ${quoteShellWord(program)}`;
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

/** Folders in which the user's shell looks for programs: npm adds some for the commands that it starts. */
function shellPath(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return env.npm_execpath === undefined
    ? folders
    : folders.filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
}

/** `npx` looks in the nearest folder with a package.json or node_modules, and knows the package that this one is. */
function isFoundByNpx(real: string, folder: string): boolean {
  if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'node_modules'))) {
    return (
      realPath(join(folder, 'node_modules/.bin', NAME)) === real ||
      relative(folder, real) === `bin/${NAME}.js`
    );
  }
  return dirname(folder) !== folder && isFoundByNpx(real, dirname(folder));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
