import type { FileHandle } from 'node:fs/promises';

/** Read size; a system call per journal line would dominate the run time. */
const windowBytes = 256 * 1024;

/**
 * Reads mostly sequential parts of a file through a read-ahead window. Alternates between two buffers: behind a growing
 * journal, a new buffer per line would create 256 KB of garbage per record.
 */
export class ReadAhead {
  readonly #file: FileHandle;
  readonly #ahead: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  /** Buffer of the previous window. */
  #spare: Buffer = Buffer.alloc(0);
  /** Buffer that contains the current window. */
  #buffer: Buffer = Buffer.alloc(0);

  /** @param ahead bytes per read; more for a longer part */
  constructor(file: FileHandle, ahead = windowBytes) {
    this.#file = file;
    this.#ahead = ahead;
  }

  /** Bytes of a part; fewer at the end of the file. Valid until the next call. */
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

  /** Takes the buffer out of use while it is being filled. */
  #takeSpare(length: number): Buffer {
    const spare = this.#spare;
    this.#spare = Buffer.alloc(0);
    return spare.length >= length ? spare : Buffer.allocUnsafe(length);
  }
}

/** Fills a buffer from an offset with at least the given number of bytes; fewer only at the end of the file. */
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
