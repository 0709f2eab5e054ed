import { setImmediate } from 'node:timers/promises';
import { grown } from '../../../base/growingColumn.ts';
import { mix32 } from '../../../base/hash32.ts';
import type { BandKeys } from './bandKeys.ts';

/** What became of each record, by its number. */
export interface DuplicateClusters {
  /** How many records there are. */
  readonly count: number;
  /** The record that stays for a record: itself where it stays. */
  readonly kept: Uint32Array;
  /** How many records its cluster has, itself included. */
  readonly clusterSize: Uint32Array;
  /** Similarity with the record that stays, never below the threshold. */
  readonly similarity: Float64Array;
}

/** Records that are compared. */
interface ComparedRecords {
  readonly count: number;
  readonly keys: BandKeys;
  /** Least similarity of near duplicates. */
  readonly threshold: number;
  /** Similarity of two records; 0 where nothing makes them duplicates. */
  similarityOf(record: number, other: number): number;
  /** Below 0 when the first record is to stay rather than the second; 0 for none but a record itself. */
  rank(record: number, other: number): number;
}

/** Records between two pauses. */
const RECORDS_BETWEEN_PAUSES = 256;

/**
 * Goes through the records from the best one on: a record that is near one that stays is dropped for it, for the best
 * such one, and any other stays. So every dropped record is near the one that stays, and of those that stay no two were
 * found near each other, whatever the order; doing it again with those that stay drops nothing.
 *
 * @throws the signal's reason when it is aborted
 */
export async function clusterSimilar(
  { count, keys, threshold, similarityOf, rank }: ComparedRecords,
  signal: AbortSignal,
): Promise<DuplicateClusters> {
  const kept = Uint32Array.from({ length: count }, (_, record) => record);
  const similarity = new Float64Array(count).fill(1);
  const clusterSize = new Uint32Array(count);
  const leaders = new LeaderTable(keys);
  for (const [at, record] of kept.slice().sort(rank).entries()) {
    if (at % RECORDS_BETWEEN_PAUSES === 0) await setImmediate();
    signal.throwIfAborted();
    for (const leader of leaders.near(record)) {
      const found = similarityOf(record, leader);
      if (found < threshold) continue;
      kept[record] = leader;
      similarity[record] = found;
      break;
    }
    if (kept[record] === record) leaders.add(record);
    clusterSize[kept[record]!]!++;
  }
  return { count, kept, similarity, clusterSize: kept.map((leader) => clusterSize[leader]!) };
}

/** So many records that stay are remembered of those with one key: a million records of one template take linear time. */
const MAX_LEADERS_OF_KEY = 32;
const MAX_LOAD = 0.7;
const GROWTH = 1.5;

/** Records that stay, by the keys of their bands: an open-addressing table, 4 bytes a slot. */
class LeaderTable {
  readonly #keys: BandKeys;
  /** In the order in which they came, which is the one of their rank. */
  #leaders = new Uint32Array(64);
  #count = 0;
  /** Place among the leaders plus one; 0 in empty slots. */
  #slots = new Uint32Array(1 << 10);
  #used = 0;

  constructor(keys: BandKeys) {
    this.#keys = keys;
  }

  /** Adds a record that stays; the best come first. */
  add(record: number): void {
    this.#leaders = grown(this.#leaders, this.#count + 1);
    this.#leaders[this.#count++] = record;
    if (this.#used + this.#keys.bands > MAX_LOAD * this.#slots.length) this.#grow();
    else this.#insert(this.#count);
  }

  /** Those that share the key of a band with a record, the best first. */
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

  /** Calls `visit` for each leader with a record's key of a band; gives the free slot behind them. */
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

/** Ids and qualities by record. */
export class RankedRecords {
  readonly #ids: string[] = [];
  readonly #qualities: number[] = [];

  get count(): number {
    return this.#ids.length;
  }

  /** Adds the next record and gives its number. Throws `RangeError` for a quality that is NaN. */
  add(id: string, quality: number): number {
    if (Number.isNaN(quality)) throw new RangeError(`the quality of record ${id} is NaN`);
    this.#qualities.push(quality);
    return this.#ids.push(id) - 1;
  }

  idOf(record: number): string {
    return this.#ids[record]!;
  }

  /** Below 0 for the record of higher quality; of equals, for the one whose id stands first, or that came first. */
  rank(record: number, other: number): number {
    // Two infinite qualities of one sign have no difference.
    const difference = this.#qualities[other]! - this.#qualities[record]!;
    const [id, otherId] = [this.#ids[record]!, this.#ids[other]!];
    return difference || (id < otherId ? -1 : Number(id > otherId)) || record - other;
  }
}
