import { grown } from '../../../base/grown.ts';
import { MinHash } from '../shingles/minHash.ts';
import { type ShingleKind, Shingler } from '../shingles/shingler.ts';
import { BandKeys, chooseBands } from './bandKeys.ts';
import { clusterSimilar, type DuplicateClusters } from './clusterSimilar.ts';
import { ContentTable } from './contentTable.ts';
import { JaccardTable } from './jaccardTable.ts';
import { RankedRecords } from './rankedRecords.ts';
import { ShingleFile } from './shingleFile.ts';

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
  /** The record of the highest quality stays; 0 where absent. */
  readonly quality?: number;
  /** Records of different groups are no duplicates of each other, whatever their texts. */
  readonly group?: string;
}

/**
 * Finds exact and near duplicates among records that are added one after another. Per record it holds an id, a quality
 * and less than 200 bytes of numbers; shingles are spilled to a file. The result does not depend on the order of the
 * records.
 */
export class DuplicateIndex {
  readonly #options: DuplicateIndexOptions;
  readonly #shingler: Shingler;
  readonly #hasher: MinHash;
  readonly #sketch: Int32Array;
  readonly #keys: BandKeys;
  readonly #contents = new ContentTable();
  readonly #spill: ShingleFile;
  readonly #records = new RankedRecords();
  readonly #table = new JaccardTable();
  /** The content of each record. */
  #contentOf = new Uint32Array(1 << 8);
  /** Where each content's shingles begin in the file, and how many there are. */
  #starts = new Float64Array(1 << 8);
  #lengths = new Uint32Array(1 << 8);
  #buffers: [Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0)];
  #longest = 0;

  constructor(options: DuplicateIndexOptions) {
    const shape = chooseBands(options.threshold);
    this.#options = options;
    this.#shingler = new Shingler(options.shingle);
    this.#hasher = new MinHash(shape.bands * shape.rows);
    this.#sketch = new Int32Array(shape.bands * shape.rows);
    this.#keys = new BandKeys(shape);
    this.#spill = new ShingleFile(options.spillFolder);
  }

  /** How many records there are. */
  get count(): number {
    return this.#records.count;
  }

  idOf(record: number): string {
    return this.#records.idOf(record);
  }

  /** Adds a record; records are numbered from 0. */
  add({ id, text, quality = 0, group }: IndexedRecord): void {
    const count = this.#shingler.read(text, group === undefined ? 0 : seedOf(group));
    this.#addShingles(id, quality, this.#shingler.shingles, count);
  }

  /**
   * Compares what is worth comparing, and chooses who stays.
   *
   * @throws the signal's reason when it is aborted
   */
  cluster(signal: AbortSignal): Promise<DuplicateClusters> {
    return clusterSimilar(
      {
        count: this.#contents.count,
        keys: this.#keys,
        threshold: this.#options.threshold,
        similarityOf: (a, b) => this.#table.compare(this.#read(a, 0), this.#read(b, 1)),
        compare: (a, b) => this.#contents.compare(a, b),
      },
      this.#contentOf.slice(0, this.count),
      (record, other) => this.#records.isBetter(record, other),
      signal,
    );
  }

  /** Gives the disk's space back. What {@link cluster} found stays good. */
  close(): void {
    this.#spill.close();
  }

  #addShingles(id: string, quality: number, shingles: Int32Array, count: number): void {
    const record = this.#records.add(id, quality);
    const known = this.#contents.count;
    const sum = this.#hasher.sketch(shingles, count, this.#sketch);
    const content = this.#contents.numberOf(sum, count, this.#sketch);
    this.#contentOf = grown(this.#contentOf, record + 1);
    this.#contentOf[record] = content;
    if (content === known) this.#addContent(content, shingles, count);
  }

  #addContent(content: number, shingles: Int32Array, count: number): void {
    this.#keys.add(this.#sketch);
    this.#starts = grown(this.#starts, content + 1);
    this.#starts[content] = this.#spill.append(shingles, count);
    this.#lengths = grown(this.#lengths, content + 1);
    this.#lengths[content] = count;
    this.#longest = Math.max(this.#longest, count);
  }

  /** The shingles of a content, in one of two buffers. */
  #read(content: number, buffer: 0 | 1): Int32Array {
    if (this.#buffers[buffer].length < this.#longest) this.#buffers[buffer] = new Int32Array(this.#longest);
    return this.#spill.read(this.#starts[content]!, this.#lengths[content]!, this.#buffers[buffer]);
  }
}

function seedOf(group: string): number {
  let seed = 1;
  for (let at = 0; at < group.length; at++) seed = (Math.imul(seed, 0x01000193) ^ group.charCodeAt(at)) | 0;
  return seed;
}
