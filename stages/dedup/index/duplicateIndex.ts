import { GrowingColumn } from '../../../base/growingColumn.ts';
import { MinHash } from '../shingles/minHash.ts';
import { Shingler } from '../shingles/shingler.ts';
import { chooseBands } from './bandKeys.ts';
import { SimilarityIndex } from './similarityIndex.ts';

export interface DuplicateIndexOptions {
  /** Words per shingle. */
  readonly shingle: number;
  /** Minimum Jaccard similarity of near duplicates, above 0 and at most 1. */
  readonly threshold: number;
  /** Directory for spilled shingles (an unlinked temporary file), 4 bytes per word. */
  readonly spillFolder: string;
}

/** A record as the index sees it. */
export interface IndexedRecord {
  /** Unique. Ties in quality keep the smaller id. */
  readonly id: string;
  readonly text: string;
  /** The record of the highest quality stays; default: 0. */
  readonly quality?: number;
  /** Records of different groups are never duplicates. */
  readonly group?: string;
}

/**
 * Finds exact and near duplicates among added records. Memory per record: an id, a quality and, at the default
 * threshold, 150 bytes, plus 120 to 180 for kept ones during comparison; shingles are spilled to a file. The result
 * is independent of record order.
 */
export class DuplicateIndex extends SimilarityIndex {
  readonly #threshold: number;
  readonly #shingler: Shingler;
  readonly #hasher: MinHash;
  readonly #sketch: Int32Array;
  /** Start and number of each record's shingles in the file. */
  readonly #starts = new GrowingColumn(Float64Array);
  readonly #lengths = new GrowingColumn(Uint32Array);

  constructor({ shingle, threshold, spillFolder }: DuplicateIndexOptions) {
    const shape = chooseBands(threshold);
    super(shape, threshold, spillFolder);
    this.#threshold = threshold;
    this.#shingler = new Shingler(shingle);
    this.#hasher = new MinHash(shape.bands * shape.rows);
    this.#sketch = new Int32Array(shape.bands * shape.rows);
  }

  add({ id, text, quality = 0, group }: IndexedRecord): void {
    const read = this.#shingler.read(text, group === undefined ? 0 : seedOf(group));
    const { shingles } = this.#shingler;
    const count = sortUnique(shingles.subarray(0, read));
    this.#hasher.sketch(shingles, count, this.#sketch);
    this.addSketch(id, quality, this.#sketch);
    this.#starts.push(this.spill.append(new Uint8Array(shingles.buffer, 0, 4 * count)));
    this.#lengths.push(count);
  }

  protected override similarityOf(record: number, other: number): number {
    const similarity = jaccard(this.#read(record, 0), this.#read(other, 1));
    return similarity >= this.#threshold ? similarity : 0;
  }

  #read(record: number, buffer: 0 | 1): Int32Array {
    const count = this.#lengths.at(record);
    const bytes = this.spilled(this.#starts.at(record), 4 * count, buffer);
    return new Int32Array(bytes.buffer, bytes.byteOffset, count);
  }
}

/** Sorts and deduplicates in place; returns the new length. */
function sortUnique(hashes: Int32Array): number {
  let count = 0;
  for (const hash of hashes.sort()) if (count === 0 || hashes[count - 1] !== hash) hashes[count++] = hash;
  return count;
}

/** Jaccard similarity of two sorted sets: shared shingles over all. */
function jaccard(a: Int32Array, b: Int32Array): number {
  let shared = 0;
  for (let at = 0, other = 0; at < a.length && other < b.length; ) {
    const difference = a[at]! - b[other]!;
    if (difference === 0) shared++;
    if (difference <= 0) at++;
    if (difference >= 0) other++;
  }
  return shared / (a.length + b.length - shared);
}

function seedOf(group: string): number {
  let seed = 1;
  for (let at = 0; at < group.length; at++) seed = (Math.imul(seed, 0x01000193) ^ group.charCodeAt(at)) | 0;
  return seed;
}
