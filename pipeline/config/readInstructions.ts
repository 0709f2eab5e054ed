import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';
import type { ProfileDeclaration } from '../../schemas/config/profiles.ts';
import type { ConfigProblems } from './configProblems.ts';

/** Maximum size of a prompt; a longer file is probably data. */
const MAX_BYTES = 1024 * 1024;

/**
 * Replaces prompt files by their text, since hashes and records must depend on the text alone.
 *
 * @param folder that relative paths start at
 * @throws UserError that names each file that is unreadable or empty
 */
export async function readInstructions(
  problems: ConfigProblems,
  declarations: readonly ProfileDeclaration[],
  folder: string,
): Promise<ProfileDeclaration[]> {
  const read = await Promise.all(
    declarations.map(async ({ instruction_file: file, ...declaration }, index) => {
      if (file === undefined) return declaration;
      const keys = ['profiles', index, 'instruction_file'];
      if (declaration.instruction !== undefined) {
        problems.add(keys, 'instruction and instruction_file both give the prompt; keep one');
        return declaration;
      }
      const instruction = await problems.attempt(keys, () => promptIn(resolve(folder, file)));
      return instruction === undefined ? declaration : { ...declaration, instruction };
    }),
  );
  problems.throwIfAny();
  return read;
}

/** Trims white space around the text, as AFM's scripts do. */
async function promptIn(file: string): Promise<string> {
  const instruction = (await readPlainText(file)).trim();
  if (instruction === '') throw new UserError(`${file} is empty; it must hold the prompt`);
  return instruction;
}

async function readPlainText(file: string): Promise<string> {
  const bytes = await readable(async () => {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new UserError(`${file} has ${size} bytes; a prompt has at most ${MAX_BYTES}`);
    return readFile(file);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
  } catch (error) {
    throw new UserError(`${file} is not text in UTF-8; save it as such`, { cause: error });
  }
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new UserError(`${(error as Error).message}; name a file that can be read`, { cause: error });
  }
}
