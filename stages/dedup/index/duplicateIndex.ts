import { GrowingColumn } from '../../../base/growingColumn.ts';
import { type AskedQuestion, askTheSame, type ReadQuestion, readQuestion } from '../askedQuestion.ts';
import { MinHash } from '../shingles/minHash.ts';
import { type ShingleKind, Shingler } from '../shingles/shingler.ts';
import { chooseBands } from './bandKeys.ts';
import { SimilarityIndex } from './similarityIndex.ts';

export interface DuplicateIndexOptions {
  readonly shingle: ShingleKind;
  /** Least Jaccard similarity of near duplicates, above 0 and at most 1. */
  readonly threshold: number;
  /** Where shingles go that memory has no room for, 4 bytes a word; what is written has no name and leaves no trace. */
  readonly spillFolder: string;
}

/** A record as the index sees it. */
export interface IndexedRecord {
  /** Unique. Of records of equal quality the one whose id stands first stays. */
  readonly id: string;
  readonly text: string;
  /** What it asks: records of similar texts that don't ask the same are not duplicates. Absent: the text alone counts. */
  readonly asked?: AskedQuestion;
  /** The record of the highest quality stays; 0 where absent. */
  readonly quality?: number;
  /** Records of different groups are not duplicates of each other, whatever their texts. */
  readonly group?: string;
}

/** Questions held ready for comparing: those of records that stay are compared again and again. */
const MAX_READ_QUESTIONS = 4096;

/**
 * Finds exact and near duplicates among records that are added one after another. Per record it holds an id, a quality
 * and, at the default threshold, 150 bytes of numbers, and for those that stay 120 to 180 more while it compares;
 * shingles and questions are spilled to a file. The result does not depend on the order of the records.
 */
export class DuplicateIndex extends SimilarityIndex {
  readonly #threshold: number;
  readonly #shingler: Shingler;
  readonly #hasher: MinHash;
  readonly #sketch: Int32Array;
  /** Where each record's shingles begin in the file, how many there are, and how many bytes its question takes. */
  readonly #starts = new GrowingColumn(Float64Array);
  readonly #lengths = new GrowingColumn(Uint32Array);
  readonly #questionLengths = new GrowingColumn(Uint32Array);
  /** A hash of each record's shingles in order: equal for equal texts. */
  readonly #texts = new GrowingColumn(Uint32Array);
  readonly #questions = new Map<number, ReadQuestion>();

  constructor({ shingle, threshold, spillFolder }: DuplicateIndexOptions) {
    const shape = chooseBands(threshold);
    super(shape, threshold, spillFolder);
    this.#threshold = threshold;
    this.#shingler = new Shingler(shingle);
    this.#hasher = new MinHash(shape.bands * shape.rows);
    this.#sketch = new Int32Array(shape.bands * shape.rows);
  }

  /** Adds a record. */
  add({ id, text, asked, quality = 0, group }: IndexedRecord): void {
    const read = this.#shingler.read(text, group === undefined ? 0 : seedOf(group));
    const shingles = this.#shingler.shingles.subarray(0, read);
    this.#texts.push(hashInOrder(shingles));
    const count = sortUnique(shingles);
    this.#hasher.sketch(shingles, count, this.#sketch);
    this.addSketch(id, quality, this.#sketch);
    this.#starts.push(this.spill.append(new Uint8Array(shingles.buffer, 0, 4 * count)));
    this.#lengths.push(count);
    this.#questionLengths.push(asked ? this.#addQuestion(asked) : 0);
  }

  /** What a record asks; undefined where it was added without. */
  askedBy(record: number): AskedQuestion | undefined {
    const length = this.#questionLengths.at(record);
    if (length === 0) return undefined;
    const bytes = this.spill.read(this.#starts.at(record) + 4 * this.#lengths.at(record), length);
    return JSON.parse(utf8.decode(bytes)) as AskedQuestion;
  }

  protected override similarityOf(record: number, other: number): number {
    const similarity = jaccard(this.#read(record, 0), this.#read(other, 1));
    return similarity >= this.#threshold && this.#askTheSame(record, other) ? similarity : 0;
  }

  /** Texts that are equal but for case and punctuation ask the same, whatever their answers. */
  #askTheSame(record: number, other: number): boolean {
    if (this.#texts.at(record) === this.#texts.at(other)) return true;
    const [one, two] = [this.#question(record), this.#question(other)];
    return one === undefined || two === undefined || askTheSame(one, two);
  }

  #question(record: number): ReadQuestion | undefined {
    const known = this.#questions.get(record);
    if (known) return known;
    const asked = this.askedBy(record);
    if (!asked) return undefined;
    if (this.#questions.size === MAX_READ_QUESTIONS) this.#questions.clear();
    const read = readQuestion(asked);
    this.#questions.set(record, read);
    return read;
  }

  /** Appends a question behind the record's shingles; gives the number of its bytes, which ends a place of four. */
  #addQuestion(asked: AskedQuestion): number {
    const text = JSON.stringify(asked);
    const bytes = Buffer.from(text + ' '.repeat(-Buffer.byteLength(text) & 3));
    this.spill.append(bytes);
    return bytes.length;
  }

  #read(record: number, buffer: 0 | 1): Int32Array {
    const count = this.#lengths.at(record);
    const bytes = this.spilled(this.#starts.at(record), 4 * count, buffer);
    return new Int32Array(bytes.buffer, bytes.byteOffset, count);
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Odd, without a pattern. */
const ORDER_FACTOR = 0x297a2d39;

function hashInOrder(shingles: Int32Array): number {
  let hash = shingles.length;
  for (let at = 0; at < shingles.length; at++) hash = (Math.imul(hash, ORDER_FACTOR) + shingles[at]!) | 0;
  return hash;
}

/** Makes a set of a list, in place and sorted; gives how many are left. */
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
