import { SpillFile } from '../../../base/files/spillFile.ts';
import { grown } from '../../../base/growingColumn.ts';
import { type AskedQuestion, askTheSame, type ReadQuestion, readQuestion } from '../askedQuestion.ts';
import { MinHash } from '../shingles/minHash.ts';
import { type ShingleKind, Shingler } from '../shingles/shingler.ts';
import { BandKeys, chooseBands } from './bandKeys.ts';
import { clusterSimilar, type DuplicateClusters, RankedRecords } from './clusterSimilar.ts';
import { JaccardTable } from './jaccardTable.ts';

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
export class DuplicateIndex {
  readonly #options: DuplicateIndexOptions;
  readonly #table = new JaccardTable();
  readonly #shingler: Shingler;
  readonly #hasher: MinHash;
  readonly #sketch: Int32Array;
  readonly #keys: BandKeys;
  readonly #spill: SpillFile;
  readonly #records = new RankedRecords();
  /** Where each record's shingles begin in the file, how many there are, and how many bytes its question takes. */
  #starts = new Float64Array(1 << 8);
  #lengths = new Uint32Array(1 << 8);
  #questionLengths = new Uint32Array(1 << 8);
  /** A hash of each record's shingles in order: equal for equal texts. */
  #texts = new Int32Array(1 << 8);
  readonly #questions = new Map<number, ReadQuestion>();
  #buffers: [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] = [new Uint8Array(0), new Uint8Array(0)];
  #longest = 0;

  constructor(options: DuplicateIndexOptions) {
    const shape = chooseBands(options.threshold);
    this.#options = options;
    this.#shingler = new Shingler(options.shingle);
    this.#hasher = new MinHash(shape.bands * shape.rows);
    this.#sketch = new Int32Array(shape.bands * shape.rows);
    this.#keys = new BandKeys(shape);
    this.#spill = new SpillFile(options.spillFolder);
  }

  /** How many records there are. */
  get count(): number {
    return this.#records.count;
  }

  idOf(record: number): string {
    return this.#records.idOf(record);
  }

  /** Adds a record; records are numbered from 0. */
  add({ id, text, asked, quality = 0, group }: IndexedRecord): void {
    const count = this.#shingler.read(text, group === undefined ? 0 : seedOf(group));
    const { shingles } = this.#shingler;
    const record = this.#records.add(id, quality);
    this.#hasher.sketch(shingles, count, this.#sketch);
    this.#keys.add(this.#sketch);
    this.#starts = grown(this.#starts, record + 1);
    this.#starts[record] = this.#spill.append(new Uint8Array(shingles.buffer, 0, 4 * count));
    this.#lengths = grown(this.#lengths, record + 1);
    this.#lengths[record] = count;
    this.#texts = grown(this.#texts, record + 1);
    this.#texts[record] = hashInOrder(shingles, count);
    this.#questionLengths = grown(this.#questionLengths, record + 1);
    if (asked) this.#questionLengths[record] = this.#addQuestion(asked);
    this.#longest = Math.max(this.#longest, 4 * count);
  }

  /**
   * Compares what is worth comparing, and chooses who stays.
   *
   * @throws the signal's reason when it is aborted
   */
  cluster(signal: AbortSignal): Promise<DuplicateClusters> {
    const { threshold } = this.#options;
    return clusterSimilar(
      {
        count: this.count,
        keys: this.#keys,
        threshold,
        similarityOf: (record, other) => {
          const jaccard = this.#table.compare(this.#read(record, 0), this.#read(other, 1));
          return jaccard >= threshold && this.#askTheSame(record, other) ? jaccard : 0;
        },
        rank: (record, other) => this.#records.rank(record, other),
      },
      signal,
    );
  }

  /** What a record asks; undefined where it was added without. */
  askedBy(record: number): AskedQuestion | undefined {
    const length = this.#questionLengths[record]!;
    if (length === 0) return undefined;
    const bytes = this.#spill.read(this.#starts[record]! + 4 * this.#lengths[record]!, length);
    return JSON.parse(utf8.decode(bytes)) as AskedQuestion;
  }

  /** Gives the disk's space back. What {@link cluster} found stays good. */
  close(): void {
    this.#spill.close();
  }

  /** Texts that are equal but for case and punctuation ask the same, whatever their answers. */
  #askTheSame(record: number, other: number): boolean {
    if (this.#texts[record] === this.#texts[other]) return true;
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
    this.#spill.append(bytes);
    return bytes.length;
  }

  /** The shingles of a record, in one of two buffers. */
  #read(record: number, buffer: 0 | 1): Int32Array {
    if (this.#buffers[buffer].length < this.#longest) this.#buffers[buffer] = new Uint8Array(this.#longest);
    const count = this.#lengths[record]!;
    const bytes = this.#spill.read(this.#starts[record]!, 4 * count, this.#buffers[buffer]);
    return new Int32Array(bytes.buffer, bytes.byteOffset, count);
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Odd, without a pattern. */
const ORDER_FACTOR = 0x297a2d39;

function hashInOrder(shingles: Int32Array, count: number): number {
  let hash = count;
  for (let at = 0; at < count; at++) hash = (Math.imul(hash, ORDER_FACTOR) + shingles[at]!) | 0;
  return hash;
}

function seedOf(group: string): number {
  let seed = 1;
  for (let at = 0; at < group.length; at++) seed = (Math.imul(seed, 0x01000193) ^ group.charCodeAt(at)) | 0;
  return seed;
}
