import type { Hash64 } from './wordHash.ts';

/** Sub-tables grow one at a time, so that growing never holds the whole table twice. */
const SEGMENT_BITS = 6;
const FIRST_SLOTS = 64;
const MAX_LOAD = 0.75;
const GROWTH = 1.5;
/** In place of a row: the hash stands in too many rows to tell anything. */
const formula = 0xffff_ffff;

/** Rows under a hash: those that were added, or `formula` where there were too many. */
export type RowsOfHash = readonly number[] | 'formula';

/**
 * Rows by the 64-bit hash of what stands in them: an open-addressing table in typed arrays, 12 bytes a slot. Up to
 * `maxRows` rows are kept of a hash; with one more it is a formula.
 */
export class NgramTable {
  readonly #segments: readonly Segment[];

  constructor(maxRows: number) {
    this.#segments = Array.from({ length: 2 ** SEGMENT_BITS }, () => new Segment(maxRows));
  }

  /** Adds a row to a hash, once. */
  add(hash: Hash64, row: number): void {
    this.#segmentOf(hash).add(hash, row);
  }

  /** The rows of a hash in ascending order. */
  rowsOf(hash: Hash64): RowsOfHash {
    return this.#segmentOf(hash).rowsOf(hash);
  }

  /** Hash and row pairs that are held. */
  get entries(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.entries, 0);
  }

  /** Bytes of the typed arrays. */
  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  #segmentOf(hash: Hash64): Segment {
    return this.#segments[hash.high >>> (32 - SEGMENT_BITS)]!;
  }
}

class Segment {
  readonly #maxRows: number;
  entries = 0;
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS);
  /** Row plus one; 0 in empty slots. */
  #rows = new Uint32Array(FIRST_SLOTS);

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  get bytes(): number {
    return this.#rows.length * 12;
  }

  add({ high, low }: Hash64, row: number): void {
    let slot = this.#firstSlot(low);
    let firstOfHash = -1;
    let rows = 0;
    for (; this.#rows[slot] !== 0; slot = this.#next(slot)) {
      if (this.#low[slot] !== low || this.#high[slot] !== high) continue;
      const held = this.#rows[slot]!;
      if (held === formula || held === row + 1) return;
      if (firstOfHash < 0) firstOfHash = slot;
      rows += 1;
    }
    if (rows === this.#maxRows) this.#rows[firstOfHash] = formula;
    else this.#put(slot, high, low, row + 1);
  }

  rowsOf({ high, low }: Hash64): RowsOfHash {
    const found: number[] = [];
    for (let slot = this.#firstSlot(low); this.#rows[slot] !== 0; slot = this.#next(slot)) {
      if (this.#low[slot] !== low || this.#high[slot] !== high) continue;
      if (this.#rows[slot] === formula) return 'formula';
      found.push(this.#rows[slot]! - 1);
    }
    return found.sort((a, b) => a - b);
  }

  #put(slot: number, high: number, low: number, held: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#rows[slot] = held;
    this.entries += 1;
    if (this.entries > this.#rows.length * MAX_LOAD) this.#grow();
  }

  #grow(): void {
    const [high, low, rows] = [this.#high, this.#low, this.#rows];
    const slots = Math.ceil(rows.length * GROWTH);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#rows = new Uint32Array(slots);
    for (let at = 0; at < rows.length; at++) {
      if (rows[at] === 0) continue;
      let slot = this.#firstSlot(low[at]!);
      while (this.#rows[slot] !== 0) slot = this.#next(slot);
      this.#high[slot] = high[at]!;
      this.#low[slot] = low[at]!;
      this.#rows[slot] = rows[at]!;
    }
  }

  #firstSlot(low: number): number {
    return Math.floor((low / 2 ** 32) * this.#rows.length);
  }

  #next(slot: number): number {
    return slot + 1 === this.#rows.length ? 0 : slot + 1;
  }
}
