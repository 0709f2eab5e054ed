import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UserError } from '../userError.ts';
import { AtomicFile } from './atomicFile.ts';

/**
 * Creates a file named by the user.
 * @param option that named it, for messages
 * @throws UserError as {@link refuseUnwritable}, and when it can't be written
 */
export async function createRequestedFile(path: string, option: string): Promise<AtomicFile> {
  await refuseUnwritable(path, option);
  return AtomicFile.create(path);
}

/** Throws `UserError` if a path's folder does not exist, or the path is a folder, a device or a pipe. */
export async function refuseUnwritable(path: string, option: string): Promise<void> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) throw new UserError(`${option} ${path}: it is a folder; name a file`);
  // A rename would replace it with a file.
  if (status && !status.isFile()) throw new UserError(`${option} ${path}: it is not a plain file; name one`);
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (!folder?.isDirectory())
    throw new UserError(`${option} ${path}: its folder does not exist; make it, or name another file`);
}
