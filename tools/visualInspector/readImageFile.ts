import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { RecordFailure } from '../../contract/errors.ts';
import { type FoundBytes, notFound, tooManyBytes } from './checkImage.ts';

/** Folder of local images. */
export interface ImageFolder {
  /** Path without symbolic links. */
  readonly path: string;
  /** Maximum file size. */
  readonly maxBytes: number;
}

/** Neither blocks on a pipe, nor acquires a terminal, nor follows a new link. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

const NO_SUCH_FILE = 'there is no such file in the folder of images';
const OUTSIDE = 'it leads out of the folder of images';

/** Errors of a missing path, with their messages. */
const nothingThere: Readonly<Record<string, string>> = {
  ENOENT: NO_SUCH_FILE,
  ENOTDIR: NO_SUCH_FILE,
  ENAMETOOLONG: 'the path is too long',
  ELOOP: OUTSIDE,
  ENXIO: 'it is not a regular file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
};

/**
 * Reads a file below a folder. Whatever the path is and however links are swapped meanwhile, bytes come only from a
 * regular file that is inside the folder once open.
 * @param path as an agent wrote it: relative to the folder
 * @throws RecordFailure (`tool_unavailable`) when the disk fails
 */
export async function readImageFile(
  { path: folder, maxBytes }: ImageFolder,
  path: string,
): Promise<FoundBytes> {
  const problem = pathProblem(path);
  if (problem !== undefined) return notFound(problem);
  try {
    const target = await realpath(join(folder, path));
    if (!isBelow(folder, target)) return notFound(OUTSIDE);
    // Opening a device or a pipe can have side effects, so it is checked before and after.
    if (!(await lstat(target)).isFile()) return notFound('it is not a regular file');
    await using file = await open(target, FLAGS);
    return await readOpened(file, { path: folder, maxBytes }, target);
  } catch (error) {
    const reason = nothingThere[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason !== undefined) return notFound(reason);
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new RecordFailure(
      'tool_unavailable',
      `visual_inspector: the folder of images can't be read (${code})`,
      { tool: 'visual_inspector', code },
      { cause: error },
    );
  }
}

/** Problem of a path before any file access; undefined without one. */
function pathProblem(path: string): string | undefined {
  if (path.includes('\0')) return 'the path holds a NUL character';
  if (isAbsolute(path) || path.startsWith('~')) return 'the path must be relative to the folder of images';
  if (path.split(/[\\/]/).includes('..')) return 'the path must not hold ".."';
  return undefined;
}

async function readOpened(file: FileHandle, folder: ImageFolder, target: string): Promise<FoundBytes> {
  const stats = await file.stat();
  if (!stats.isFile()) return notFound('it is not a regular file');
  if (!isBelow(folder.path, await pathOf(file, target))) return notFound(OUTSIDE);
  if (stats.size > folder.maxBytes) return tooManyBytes(folder.maxBytes);
  return readUpTo(file, stats.size, folder.maxBytes);
}

/** Actual path of an open file; if the system does not tell, the opened path is resolved again. */
async function pathOf(file: FileHandle, target: string): Promise<string> {
  try {
    return await readlink(`/proc/self/fd/${file.fd}`);
  } catch {
    return realpath(target);
  }
}

/** Reads up to a limit, since the file may grow meanwhile. */
async function readUpTo(file: FileHandle, size: number, maxBytes: number): Promise<FoundBytes> {
  const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return { ok: true, bytes: buffer.subarray(0, length) };
    length += bytesRead;
  }
  return length > maxBytes ? tooManyBytes(maxBytes) : notFound('it changes while it is read');
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
