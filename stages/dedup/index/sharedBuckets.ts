import { grown } from '../../../base/grown.ts';

/** Stands for the end of a chain and for an empty slot. */
const none = -1;

/** Finds which of many keys are equal, with arrays that are used again for each list of keys. */
export class SharedBuckets {
  readonly #size: number;
  readonly #keys: Uint32Array;
  /** Last record of each bucket, at the slot of its key. */
  readonly #heads: Int32Array;
  /** The record before in the same bucket. */
  readonly #before: Int32Array;
  /** Slots of the buckets with more than one record. */
  readonly #shared: Int32Array;
  #members = new Int32Array(64);

  /** @param size - Length of the lists of keys. */
  constructor(size: number) {
    this.#size = size;
    this.#keys = new Uint32Array(size);
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 1)));
    this.#before = new Int32Array(size);
    this.#shared = new Int32Array(size >> 1);
  }

  /**
   * The places of equal keys, one list for each key that occurs more than once. A list is only good until the next.
   *
   * @param fill - Writes the keys.
   */
  *find(fill: (keys: Uint32Array) => void): Generator<Int32Array> {
    fill(this.#keys);
    const shared = this.#chain();
    for (let at = 0; at < shared; at++) yield this.#membersFrom(this.#heads[this.#shared[at]!]!);
  }

  /** Puts records with equal keys in chains, and gives the number of slots with more than one. */
  #chain(): number {
    const heads = this.#heads.fill(none);
    const mask = heads.length - 1;
    let shared = 0;
    for (let record = 0; record < this.#size; record++) {
      const key = this.#keys[record]!;
      let slot = key & mask;
      while (heads[slot] !== none && this.#keys[heads[slot]!] !== key) slot = (slot + 1) & mask;
      const last = heads[slot]!;
      if (last !== none && this.#before[last] === none) this.#shared[shared++] = slot;
      this.#before[record] = last;
      heads[slot] = record;
    }
    return shared;
  }

  #membersFrom(head: number): Int32Array {
    let count = 0;
    for (let member = head; member !== none; member = this.#before[member]!) {
      this.#members = grown(this.#members, count + 1);
      this.#members[count++] = member;
    }
    return this.#members.subarray(0, count);
  }
}
