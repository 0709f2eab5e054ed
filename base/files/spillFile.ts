import { closeSync, readSync, writeSync } from 'node:fs';
import { grown } from '../growingColumn.ts';
import { openUnnamedFile } from './unnamedFile.ts';

/** Bytes buffered before writing: smaller totals touch no disk. */
const MAX_HELD_BACK = 1 << 22;

/** Bytes that do not fit in memory, appended to an unnamed file and read back by offset. */
export class SpillFile {
  readonly #folder: string | undefined;
  #file: number | undefined;
  #held = new Uint8Array(1 << 12);
  /** Offset of the first buffered byte. */
  #written = 0;
  #end = 0;

  /** @param folder - Where the file goes, as of `openUnnamedFile`. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Appends bytes and returns the offset of the first. */
  append(bytes: Uint8Array): number {
    if (this.#end - this.#written + bytes.length > MAX_HELD_BACK) this.#flush();
    const place = this.#end;
    this.#held = grown(this.#held, place - this.#written + bytes.length);
    this.#held.set(bytes, place - this.#written);
    this.#end += bytes.length;
    return place;
  }

  /** Reads bytes from an offset, into a view of `into` unless they are buffered. */
  read(place: number, length: number, into = new Uint8Array(length)): Uint8Array<ArrayBuffer> {
    const start = place - this.#written;
    if (start >= 0) return this.#held.subarray(start, start + length);
    const bytes = into.subarray(0, length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file!, bytes, done, length - done, place + done);
      if (read === 0) throw new Error('a temporary file became shorter');
      done += read;
    }
    return bytes;
  }

  /** Frees the disk space. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #flush(): void {
    this.#file ??= openUnnamedFile(this.#folder);
    const bytes = this.#held.subarray(0, this.#end - this.#written);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#written + done);
    this.#written = this.#end;
  }
}
