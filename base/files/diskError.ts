import { UserError } from '../userError.ts';

/** System errors that the user can fix, by code. */
const meaning: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the path is too long',
  EBUSY: 'another program or a mount holds it',
  EEXIST: 'a file of that name is in the way',
  EMFILE: 'too many open files (raise `ulimit -n`)',
  EFBIG: 'the file would be too large for this file system',
  EIO: 'the system failed to write (a broken disk, or a limit such as `ulimit -f`)',
};

/** Reason in words why a file is unreadable. */
export function readProblem(error: Error): string {
  return meaning[systemErrorCode(error) ?? ''] ?? error.message;
}

/** Converts disk and permission errors to a `UserError` that names the path; returns others unchanged. */
export function explainDiskError(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  const words = code === undefined ? undefined : meaning[code];
  if (words === undefined) return error;
  const where = (error as NodeJS.ErrnoException).path ?? path;
  const advice = isDiskFull(error) ? 'free space or choose another folder' : 'choose another folder';
  return new UserError(`cannot write ${where}: ${words} (${code}); ${advice}, then run again`, {
    cause: error,
  });
}

/** Runs file work, converting disk errors to a `UserError` that names the path. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainDiskError(error, path);
  }
}

/** SQLite's result codes and their system equivalents (sqlite.org/rescode.html). */
const sqliteCodes: Readonly<Record<number, string>> = {
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
  14: 'EACCES',
  // No room for the shared index.
  4874: 'ENOSPC',
};

/** Code of a system error such as `ENOENT`, or undefined. SQLite's own codes are translated. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined)
    return sqliteCodes[errcode] ?? sqliteCodes[errcode & 0xff];
  return typeof code === 'string' ? code : undefined;
}

/** Result of a read; undefined if the file or folder does not exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** True for errors of a full disk, which are no record's fault. */
export function isDiskFull(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
