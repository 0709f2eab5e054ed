import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UserError } from '../userError.ts';
import { systemErrorCode } from './diskError.ts';

/** How links are taken: followed, or refused as what is not the folder's own. */
export type OnLink = 'follow' | 'refuse';

/**
 * Opens a file of a folder that others may have made, to read it.
 *
 * @throws UserError for a folder, a pipe or a device, of which a reader might wait for ever, and for a link where links
 *   are refused; the system's error where there is no such file
 */
export async function openPlain(path: string, onLink: OnLink = 'follow'): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | (onLink === 'refuse' ? O_NOFOLLOW : 0)).catch(
    (error) => {
      // ENXIO: a socket.
      throw ['ELOOP', 'ENXIO'].includes(systemErrorCode(error) ?? '') ? notPlain(path, error) : error;
    },
  );
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notPlain(path);
}

/** A file's bytes. Throws as {@link openPlain}. */
export async function readPlain(path: string, onLink?: OnLink): Promise<Buffer> {
  const handle = await openPlain(path, onLink);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function notPlain(path: string, cause?: unknown): UserError {
  return new UserError(`${path}: it is not a plain file; put the file itself there, or take it away`, {
    cause,
  });
}
