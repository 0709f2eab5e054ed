import { closeSync, readSync, writeSync } from 'node:fs';
import { grown } from '../growingColumn.ts';
import { openUnnamedFile } from './unnamedFile.ts';

/** Bytes held back before they are written: what is smaller than this in all touches no disk. */
const MAX_HELD_BACK = 1 << 22;

/** Bytes that memory has no room for, appended one after another to an unnamed file and read back by place. */
export class SpillFile {
  readonly #folder: string | undefined;
  #file: number | undefined;
  #held = new Uint8Array(1 << 12);
  /** Place of the first byte that is held back. */
  #written = 0;
  #end = 0;

  /** @param folder - Where the file goes, as of `openUnnamedFile`. */
  constructor(folder?: string) {
    this.#folder = folder;
  }

  /** Appends bytes and gives the place of the first. */
  append(bytes: Uint8Array): number {
    if (this.#end - this.#written + bytes.length > MAX_HELD_BACK) this.#flush();
    const place = this.#end;
    this.#held = grown(this.#held, place - this.#written + bytes.length);
    this.#held.set(bytes, place - this.#written);
    this.#end += bytes.length;
    return place;
  }

  /** Reads bytes from a place on; as a view of `into` where they are not held back. */
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

  /** Gives the disk's space back. */
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
