import { GrowingColumn } from '../../../base/growingColumn.ts';
import { grown } from '../../../base/grown.ts';

/** Most bytes of UTF-8 that a UTF-16 code unit takes. */
const MAX_BYTES_PER_UNIT = 3;
const encoder = new TextEncoder();

/** Ids and qualities by record; ids as UTF-8 in one array, which takes half of what strings do. */
export class RankedRecords {
  readonly #qualities = new GrowingColumn(Float64Array);
  #bytes = new Uint8Array(1 << 12);
  #ends = new Float64Array(1 << 8);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds the next record and gives its number. Throws `RangeError` for a quality that is no number. */
  add(id: string, quality: number): number {
    if (Number.isNaN(quality)) throw new RangeError(`the quality of record ${id} is no number`);
    this.#qualities.push(quality);
    const start = this.#startOf(this.#count);
    this.#bytes = grown(this.#bytes, start + MAX_BYTES_PER_UNIT * id.length);
    this.#ends = grown(this.#ends, this.#count + 1);
    this.#ends[this.#count] = start + this.#write(id, start);
    return this.#count++;
  }

  idOf(record: number): string {
    return this.#slice(record).toString();
  }

  qualityOf(record: number): number {
    return this.#qualities.at(record);
  }

  /** Below 0 for the record of higher quality; of equals, for the one whose id stands first, or that came first. */
  rank(record: number, other: number): number {
    const difference = this.qualityOf(other) - this.qualityOf(record);
    // Two infinite qualities of one sign have no difference.
    return difference || this.compare(record, other) || record - other;
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
