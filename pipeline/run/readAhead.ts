import type { FileHandle } from 'node:fs/promises';

/** Bytes asked of the system at once: a call for each line of a journal takes longer than all that is done with it. */
const windowBytes = 256 * 1024;

/**
 * Reads places of a file that mostly follow each other, with a window read ahead. Two buffers take turns: behind a
 * journal that grows line by line, a buffer for each line would be 256 KB of garbage a record.
 */
export class ReadAhead {
  readonly #file: FileHandle;
  readonly #ahead: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  /** The buffer of the window before this one. */
  #spare: Buffer = Buffer.alloc(0);
  /** The whole buffer that the window is a part of. */
  #buffer: Buffer = Buffer.alloc(0);

  /** @param ahead bytes read at once, more where a place is longer */
  constructor(file: FileHandle, ahead = windowBytes) {
    this.#file = file;
    this.#ahead = ahead;
  }

  /** The bytes of a place; fewer when the file ends before. They are the caller's until the next call. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (offset < this.#start || offset + length > this.#start + this.#window.length) {
      const buffer = this.#takeSpare(Math.max(length, this.#ahead));
      this.#window = await readFrom(this.#file, offset, { buffer, least: length });
      this.#start = offset;
      this.#spare = this.#buffer;
      this.#buffer = buffer;
    }
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }

  /** Nobody else gets it while it is filled. */
  #takeSpare(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = Buffer.alloc(0);
    return spare.length >= length ? spare : Buffer.allocUnsafe(length);
  }
}

/** Fills a buffer from a place on, with at least so many bytes: fewer only at the end of the file. */
async function readFrom(
  file: FileHandle,
  offset: number,
  { buffer, least }: { readonly buffer: Buffer; readonly least: number },
): Promise<Buffer> {
  let end = 0;
  do {
    const { bytesRead } = await file.read(buffer, end, buffer.length - end, offset + end);
    if (bytesRead === 0) break;
    end += bytesRead;
  } while (end < least);
  return buffer.subarray(0, end);
}
