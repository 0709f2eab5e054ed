import type { FileHandle } from 'node:fs/promises';

/** Bytes asked of the system at once: a call for each line of a journal takes longer than all that is done with it. */
const windowBytes = 256 * 1024;

/** Reads places of a file that mostly follow each other, with a window read ahead. */
export class ReadAhead {
  readonly #file: FileHandle;
  readonly #ahead: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  /** @param ahead bytes read at once, more where a place is longer */
  constructor(file: FileHandle, ahead = windowBytes) {
    this.#file = file;
    this.#ahead = ahead;
  }

  /** The bytes of a place; fewer when the file ends before. They are the caller's until the next call. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (offset < this.#start || offset + length > this.#start + this.#window.length) {
      this.#window = await readFrom(this.#file, offset, Math.max(length, this.#ahead));
      this.#start = offset;
    }
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }
}

/** Up to so many bytes: fewer only at the end of the file. */
async function readFrom(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let end = 0;
  while (end < length) {
    const { bytesRead } = await file.read(buffer, end, length - end, offset + end);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return buffer.subarray(0, end);
}
