import { type Hash64, hashNumber } from './wordHash.ts';

/** A map of JavaScript holds 16.7 million entries at most. */
const MAPS = 64;

/** Rows under a hash: those that were added, or `formula` where there were too many to tell anything. */
export type RowsOfHash = readonly number[] | 'formula';

/** Rows by the hash of what stands in them. Up to `maxRows` rows are kept of a hash; with one more it is a formula. */
export class NgramTable {
  readonly #maxRows: number;
  /** A row by itself is held as a number: most hashes have but one. */
  readonly #maps = Array.from({ length: MAPS }, () => new Map<number, number | RowsOfHash>());

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Adds a row to a hash, once; rows come in ascending order. */
  add(hash: Hash64, row: number): void {
    const rows = this.rowsOf(hash);
    if (rows === 'formula' || rows.at(-1) === row) return;
    const more = rows.length === this.#maxRows ? 'formula' : [...rows, row];
    this.#mapOf(hash).set(hashNumber(hash), rows.length === 0 ? row : more);
  }

  /** The rows of a hash in ascending order. */
  rowsOf(hash: Hash64): RowsOfHash {
    const held = this.#mapOf(hash).get(hashNumber(hash));
    return typeof held === 'number' ? [held] : (held ?? []);
  }

  #mapOf({ low }: Hash64): Map<number, number | RowsOfHash> {
    return this.#maps[low % MAPS]!;
  }
}
