import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { UserError } from '../userError.ts';
import { systemErrorCode } from './diskError.ts';

/** V8's limit for one string. */
const MAX_BYTES = 2 ** 29;

/** Restrictions on the file to open. */
interface PlainFileRules {
  /**
   * Folder that must contain the file itself: a run folder may come from another person, and a link in it may lead to
   * any file of this machine. Default: links are followed.
   */
  readonly within?: string | undefined;
}

/**
 * Opens a file for reading. Use it for every file in a folder that others may have made.
 * @throws UserError for a folder, a pipe or a device, whose reader might wait for ever, and for a file outside `within`;
 *   the system's error if there is no such file
 */
export async function openPlain(path: string, { within }: PlainFileRules = {}): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  if (within !== undefined) await refuseOutside(path, within);
  const flags = O_RDONLY | O_NONBLOCK | (within === undefined ? 0 : O_NOFOLLOW);
  const handle = await open(path, flags).catch((error) => {
    // ELOOP: a link. ENXIO: a socket.
    throw ['ELOOP', 'ENXIO'].includes(systemErrorCode(error) ?? '') ? notPlain(path, error) : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notPlain(path);
}

/** Throws as {@link openPlain}, for readers that open the file themselves. */
export async function assertPlain(path: string, rules?: PlainFileRules): Promise<void> {
  await (await openPlain(path, rules)).close();
}

/** Reads a whole file. Throws as {@link openPlain}, and for more than 512 MiB. */
export async function readPlain(path: string, rules?: PlainFileRules): Promise<Buffer> {
  const handle = await openPlain(path, rules);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES)
      throw new UserError(
        `${path}: it has ${size} bytes, and at most ${MAX_BYTES} are read; restore the file`,
      );
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Links above the folder are the user's own; below it links are refused. */
async function refuseOutside(path: string, folder: string): Promise<void> {
  const inside = relative(folder, dirname(path));
  const isBelow = !inside.split(/[/\\]/).includes('..');
  if (!isBelow || (await realpath(dirname(path))) !== join(await realpath(folder), inside))
    throw notPlain(path);
}

function notPlain(path: string, cause?: unknown): UserError {
  return new UserError(`${path}: it is not a plain file; put the file itself there, or take it away`, {
    cause,
  });
}
