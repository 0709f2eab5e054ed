import { setImmediate } from 'node:timers/promises';
import { SpillFile } from '../../../base/files/spillFile.ts';
import { grown } from '../../../base/growingColumn.ts';
import { mix32 } from '../../../base/hash32.ts';
import { BandKeys, type Bands } from './bandKeys.ts';

/** Result per record, by number. */
export interface DuplicateClusters {
  /** Number of records. */
  readonly count: number;
  /** Kept record for each record: itself if kept. */
  readonly kept: Uint32Array;
  /** Size of its cluster, itself included. */
  readonly clusterSize: Uint32Array;
  /** Similarity with the kept record, at least the threshold. */
  readonly similarity: Float64Array;
}

/** Records between event loop turns. */
const RECORDS_BETWEEN_PAUSES = 256;

/**
 * Index of records numbered from 0 and found by band keys. Compared content is spilled to a file. The result is
 * independent of record order.
 */
export abstract class SimilarityIndex {
  readonly #threshold: number;
  readonly #keys: BandKeys;
  readonly #ids: string[] = [];
  readonly #qualities: number[] = [];
  readonly #buffers = [new Uint8Array(0), new Uint8Array(0)];
  protected readonly spill: SpillFile;

  /**
   * @param threshold - Least similarity of duplicates.
   * @param spillFolder - Where what memory has no room for goes; what is written has no name and leaves no trace.
   */
  constructor(bands: Bands, threshold: number, spillFolder: string) {
    this.#threshold = threshold;
    this.#keys = new BandKeys(bands);
    this.spill = new SpillFile(spillFolder);
  }

  /** How many records there are. */
  get count(): number {
    return this.#ids.length;
  }

  idOf(record: number): string {
    return this.#ids[record]!;
  }

  /** Frees the disk space. Results of {@link cluster} stay valid. */
  close(): void {
    this.spill.close();
  }

  /**
   * Visits records from best to worst: a record near a kept one is dropped in favour of the best such one, others are
   * kept. Every dropped record is near its kept one, no two kept ones were found near each other, whatever the order,
   * and repeating it on the kept ones drops nothing.
   * @throws the signal's reason when it is aborted
   */
  async cluster(signal: AbortSignal): Promise<DuplicateClusters> {
    const { count } = this;
    const kept = Uint32Array.from({ length: count }, (_, record) => record);
    const similarity = new Float64Array(count).fill(1);
    const clusterSize = new Uint32Array(count);
    const leaders = new LeaderTable(this.#keys);
    const ranked = kept.slice().sort((record, other) => this.#rank(record, other));
    for (const [at, record] of ranked.entries()) {
      if (at % RECORDS_BETWEEN_PAUSES === 0) await setImmediate();
      signal.throwIfAborted();
      for (const leader of leaders.near(record)) {
        const found = this.similarityOf(record, leader);
        if (found < this.#threshold) continue;
        kept[record] = leader;
        similarity[record] = found;
        break;
      }
      if (kept[record] === record) leaders.add(record);
      clusterSize[kept[record]!]!++;
    }
    return { count, kept, similarity, clusterSize: kept.map((leader) => clusterSize[leader]!) };
  }

  /** Adds a record by its sketch. Throws `RangeError` for a NaN quality. */
  protected addSketch(id: string, quality: number, sketch: Int32Array): void {
    if (Number.isNaN(quality)) throw new RangeError(`the quality of record ${id} is NaN`);
    this.#ids.push(id);
    this.#qualities.push(quality);
    this.#keys.add(sketch);
  }

  /** Similarity of two records; 0 if they cannot be duplicates. */
  protected abstract similarityOf(record: number, other: number): number;

  /** Spilled bytes in one of two buffers. */
  protected spilled(place: number, length: number, buffer: 0 | 1): Uint8Array<ArrayBuffer> {
    if (this.#buffers[buffer]!.length < length) this.#buffers[buffer] = new Uint8Array(2 * length);
    return this.spill.read(place, length, this.#buffers[buffer]);
  }

  /** Below 0 for the record of higher quality; ties go to the smaller id, then to the earlier record. */
  #rank(record: number, other: number): number {
    // Two infinite qualities of one sign have no difference.
    const difference = this.#qualities[other]! - this.#qualities[record]!;
    const [id, otherId] = [this.idOf(record), this.idOf(other)];
    return difference || (id < otherId ? -1 : Number(id > otherId)) || record - other;
  }
}

/** Maximum kept records stored per key: a million records of one template take linear time. */
const MAX_LEADERS_OF_KEY = 32;
const MAX_LOAD = 0.7;
const GROWTH = 1.5;

/** Kept records by band keys: an open-addressing table, 4 bytes per slot. */
class LeaderTable {
  readonly #keys: BandKeys;
  /** In insertion order, which is rank order. */
  #leaders = new Uint32Array(64);
  #count = 0;
  /** Index of a leader plus one; 0 for empty slots. */
  #slots = new Uint32Array(1 << 10);
  #used = 0;

  constructor(keys: BandKeys) {
    this.#keys = keys;
  }

  /** Adds a kept record; call in rank order. */
  add(record: number): void {
    this.#leaders = grown(this.#leaders, this.#count + 1);
    this.#leaders[this.#count++] = record;
    if (this.#used + this.#keys.bands > MAX_LOAD * this.#slots.length) this.#grow();
    else this.#insert(this.#count);
  }

  /** Leaders that share a band key with a record, best first. */
  near(record: number): number[] {
    const found = new Set<number>();
    for (let band = 0; band < this.#keys.bands; band++)
      this.#walk(band, record, (leader) => found.add(leader));
    return [...found].sort((a, b) => a - b).map((leader) => this.#leaders[leader - 1]!);
  }

  #insert(leader: number): void {
    for (let band = 0; band < this.#keys.bands; band++) {
      let sharing = 0;
      const free = this.#walk(band, this.#leaders[leader - 1]!, () => sharing++);
      if (sharing >= MAX_LEADERS_OF_KEY) continue;
      this.#slots[free] = leader;
      this.#used++;
    }
  }

  #walk(band: number, record: number, visit: (leader: number) => void): number {
    const key = this.#keys.at(band, record);
    let slot = Math.floor((mix32(key + band) >>> 0) * (this.#slots.length / 2 ** 32));
    for (let leader = this.#slots[slot]!; leader !== 0; leader = this.#slots[slot]!) {
      if (this.#keys.at(band, this.#leaders[leader - 1]!) === key) visit(leader);
      slot = slot + 1 === this.#slots.length ? 0 : slot + 1;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Uint32Array(Math.ceil(GROWTH * this.#slots.length) + this.#keys.bands);
    this.#used = 0;
    for (let leader = 1; leader <= this.#count; leader++) this.#insert(leader);
  }
}
