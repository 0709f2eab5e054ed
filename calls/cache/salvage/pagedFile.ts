import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { systemErrorCode } from '../../../base/files/diskError.ts';
import { isReadOnly } from '../sqliteErrors.ts';

/** Bytes of a page: what SQLite makes files with where nobody says otherwise, as a cache never does. */
export const PAGE_BYTES = 4096;

/** A file that is read in pieces; one that is not there is empty. */
export class PagedFile {
  readonly #descriptor: number | undefined;
  /** Bytes. */
  readonly size: number;

  constructor(path: string) {
    this.#descriptor = openedIfThere(path);
    this.size = this.#descriptor === undefined ? 0 : fstatSync(this.#descriptor).size;
  }

  /** So many bytes from a place, fewer at the end of the file; undefined behind it. */
  read(offset: number, length = PAGE_BYTES): Buffer | undefined {
    if (this.#descriptor === undefined || offset < 0 || offset >= this.size) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(length, this.size - offset));
    return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, bytes.length, offset));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function openedIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

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
