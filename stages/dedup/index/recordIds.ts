import { grown } from '../../../base/grown.ts';

/** Most bytes of UTF-8 that a UTF-16 code unit takes. */
const MAX_BYTES_PER_UNIT = 3;
const encoder = new TextEncoder();

/** Ids by record, as UTF-8 in one array: half of what strings take. */
export class RecordIds {
  #bytes = new Uint8Array(1 << 12);
  #ends = new Float64Array(1 << 8);
  #count = 0;

  /** Adds the id of the next record. */
  add(id: string): void {
    const start = this.#startOf(this.#count);
    this.#bytes = grown(this.#bytes, start + MAX_BYTES_PER_UNIT * id.length);
    this.#ends = grown(this.#ends, this.#count + 1);
    this.#ends[this.#count++] = start + this.#write(id, start);
  }

  /** The id of a record. */
  at(record: number): string {
    return this.#slice(record).toString();
  }

  /** Below 0 when the first record's id stands before the second's, by their bytes. */
  compare(a: number, b: number): number {
    return Buffer.compare(this.#slice(a), this.#slice(b));
  }

  /** The number of bytes written. Most ids are ASCII, which needs no encoder and no memory of its own. */
  #write(id: string, start: number): number {
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at);
      if (unit >= 0x80) return encoder.encodeInto(id, this.#bytes.subarray(start)).written;
      this.#bytes[start + at] = unit;
    }
    return id.length;
  }

  #slice(record: number): Buffer {
    const start = this.#startOf(record);
    return Buffer.from(this.#bytes.buffer, start, this.#ends[record]! - start);
  }

  #startOf(record: number): number {
    return record === 0 ? 0 : this.#ends[record - 1]!;
  }
}
