import { statSync } from 'node:fs';
import { isReadOnly } from '../sqliteErrors.ts';
import { PagedFile } from './pagedFile.ts';

/** Where the header of a file names the versions of writing and of reading, a byte each. */
const VERSIONS_OFFSET = 18;
const NEWEST_VERSION = 2;

/**
 * True for a file that lost its pages and that SQLite takes for a new one: one byte, or none but a log with answers.
 * SQLite would delete the log.
 */
export function isTakenForNew(path: string): boolean {
  // The log first: while another process makes the file, it has pages before it has a log.
  const logBytes = bytesOf(`${path}-wal`);
  const bytes = bytesOf(path);
  return bytes === 1 || (bytes === 0 && logBytes > 0);
}

/** True when SQLite takes a file for read-only since its header names a version of writing that SQLite does not know. */
export function isTakenForReadOnly(error: unknown, path: string): boolean {
  if (!isReadOnly(error)) return false;
  const file = new PagedFile(path);
  const versions = file.read(VERSIONS_OFFSET, 2);
  file.close();
  return versions?.some((version) => version < 1 || version > NEWEST_VERSION) === true;
}

/** The size of a file; 0 where there is none. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
