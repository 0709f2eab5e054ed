import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { grown } from '../../../base/growingColumn.ts';

/** Hashes held back before they are written: 4 MB. A corpus below that touches no disk. */
const MAX_HELD_BACK = 1 << 20;

/**
 * Lists of shingle hashes, appended one after another and read back by place. They lie in a file that has no name as
 * soon as it is open, so that nothing stays behind however the process ends.
 */
export class ShingleFile {
  readonly #folder: string;
  #file: number | undefined;
  #buffer = new Int32Array(1 << 10);
  #bufferStart = 0;
  #end = 0;

  /** @param folder - Where the file goes; made when it is missing. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Appends the first `count` hashes and gives the place of the first. */
  append(shingles: Int32Array, count: number): number {
    if (this.#end - this.#bufferStart + count > MAX_HELD_BACK) this.#flush();
    const start = this.#end;
    const list = shingles.subarray(0, count);
    if (count > MAX_HELD_BACK) {
      this.#write(list);
      this.#bufferStart += count;
    } else {
      this.#buffer = grown(this.#buffer, this.#end - this.#bufferStart + count);
      this.#buffer.set(list, start - this.#bufferStart);
    }
    this.#end += count;
    return start;
  }

  /** Reads `count` hashes from a place that {@link append} gave; as a view of `into` where they are not held back. */
  read(start: number, count: number, into: Int32Array): Int32Array {
    if (start >= this.#bufferStart) {
      return this.#buffer.subarray(start - this.#bufferStart, start - this.#bufferStart + count);
    }
    const list = into.subarray(0, count);
    const bytes = bytesOf(list);
    for (let done = 0; done < bytes.length; ) {
      const read = readSync(this.#file!, bytes, done, bytes.length - done, start * 4 + done);
      if (read === 0) throw new Error(`the shingle file in ${this.#folder} became shorter`);
      done += read;
    }
    return list;
  }

  /** Gives the disk's space back. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#end - this.#bufferStart));
    this.#bufferStart = this.#end;
  }

  /** Writes at the end of the file, which is where the buffer starts. */
  #write(list: Int32Array): void {
    this.#file ??= openNameless(this.#folder);
    const bytes = bytesOf(list);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#bufferStart * 4 + done);
    }
  }
}

function bytesOf(list: Int32Array): Uint8Array {
  return new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
}

function openNameless(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `shingles-${randomUUID()}.tmp`);
  const descriptor = openSync(file, 'wx+', 0o600);
  unlinkSync(file);
  return descriptor;
}
