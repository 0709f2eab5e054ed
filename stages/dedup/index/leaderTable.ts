import { grown } from '../../../base/growingColumn.ts';
import { mix32 } from '../../../base/hash32.ts';
import type { BandKeys } from './bandKeys.ts';

/** So many records that stay are remembered of those with one key: a million records of one template take linear time. */
const MAX_LEADERS_OF_KEY = 32;
const MAX_LOAD = 0.7;
const GROWTH = 1.5;

/** Records that stay, by the keys of their bands: an open-addressing table, 4 bytes a slot. */
export class LeaderTable {
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
