import { join } from 'node:path';
import type { z } from 'zod';
import { ifThere } from './files/diskError.ts';
import { readPlain } from './files/plainFile.ts';
import { parseSealed } from './journal/sealed.ts';
import { UserError } from './userError.ts';

/**
 * Parses JSON stored in a run folder.
 * @throws Error that says in one line what is wrong with it
 */
export function parseStored<T>(schema: z.ZodType<T>, text: string): T {
  return checkStored(schema, JSON.parse(text));
}

/** Parses a sealed line or file of a run folder. Throws as {@link parseStored}. */
export function parseSealedAs<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  return checkStored(schema, parseSealed(bytes));
}

/**
 * Reads a whole file of a folder; undefined if it does not exist.
 *
 * @param name path inside the folder
 * @param parse throws for bytes that are damaged
 * @param advice what to do about a damaged file
 * @throws UserError for a damaged file
 */
export async function readStored<T>(
  [folder, name]: readonly [folder: string, name: string],
  parse: (bytes: Buffer) => T,
  advice: string,
): Promise<T | undefined> {
  const path = join(folder, name);
  try {
    const bytes = await ifThere(readPlain(path, { within: folder }));
    return bytes && parse(bytes);
  } catch (error) {
    throw new UserError(`${path}: damaged (${(error as Error).message}); ${advice}`, { cause: error });
  }
}

function checkStored<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.')}: ${issue?.message}`);
}

/** Message for a finished stage's journal that contradicts its counts. */
export function missingLines(
  path: string,
  stage: string,
  { count, written }: { readonly count: number; readonly written: number },
): UserError {
  return new UserError(
    `${path} holds ${count} records, but ${written} were written to it; redo the stage with --from ${stage}, or restore the file`,
  );
}
