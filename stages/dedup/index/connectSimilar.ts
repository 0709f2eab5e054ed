import { setImmediate } from 'node:timers/promises';
import { grown } from '../../../base/grown.ts';
import type { BandKeys } from './bandKeys.ts';

/** Largest bucket in which every pair is compared. */
const MAX_COMPARED_WHOLE = 64;
/** In a larger one, each content is compared with so many that follow it in the order of {@link canonicalOrder}. */
const MAX_REACH = 16;

/** Contents with what it takes to compare them. */
export interface Contents {
  readonly count: number;
  readonly keys: BandKeys;
  /** True when two contents are near duplicates. */
  isSimilar(a: number, b: number): boolean;
  /** Orders contents by what they are, not by their numbers. */
  compare(a: number, b: number): number;
}

/**
 * The connected components of the graph whose edges are the near duplicates among contents that share a band's key.
 * Pairs that are connected already are not compared, which changes no component; which pairs are candidates depends on
 * the contents alone, so neither order nor numbering matters. The work is linear in the sizes of the buckets.
 */
export async function connectSimilar(contents: Contents, pause: Pause): Promise<DisjointSets> {
  const { keys, count } = contents;
  const sets = new DisjointSets(count);
  const buckets = new SharedBuckets(count);
  for (let band = 0; band < keys.bands; band++) {
    await pause.take();
    for (const members of buckets.find((into) => keys.copyBand(band, into))) {
      if (areOne(sets, members)) continue;
      if (members.length > MAX_COMPARED_WHOLE) members.sort(canonicalOrder(contents, band));
      await connectMembers(contents, members, sets, pause);
    }
  }
  return sets;
}

/** Neighbours first, so that a bucket of one family is connected after one comparison for each member. */
async function connectMembers(
  { isSimilar }: Contents,
  members: Int32Array,
  sets: DisjointSets,
  pause: Pause,
): Promise<void> {
  const reach = members.length > MAX_COMPARED_WHOLE ? MAX_REACH : members.length - 1;
  for (let distance = 1; distance <= reach && !areOne(sets, members); distance++) {
    for (let at = distance; at < members.length; at++) {
      const a = members[at - distance]!;
      const b = members[at]!;
      if (sets.find(a) === sets.find(b)) continue;
      if (isSimilar(a, b)) sets.unite(a, b);
      if (pause.isDue()) await pause.take();
    }
  }
}

function areOne(sets: DisjointSets, members: Int32Array): boolean {
  const first = sets.find(members[0]!);
  for (let at = 1; at < members.length; at++) if (sets.find(members[at]!) !== first) return false;
  return true;
}

/** Contents that share the next band too stand side by side. */
function canonicalOrder({ keys, compare }: Contents, band: number): (a: number, b: number) => number {
  const next = (band + 1) % keys.bands;
  return (a, b) => keys.at(next, a) - keys.at(next, b) || compare(a, b);
}

/** Stands for the end of a chain and for an empty slot. */
const NONE = -1;

/** Finds which of many keys are equal, with arrays that are used again for each list of keys. */
class SharedBuckets {
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
    const heads = this.#heads.fill(NONE);
    const mask = heads.length - 1;
    let shared = 0;
    for (let record = 0; record < this.#size; record++) {
      const key = this.#keys[record]!;
      let slot = key & mask;
      while (heads[slot] !== NONE && this.#keys[heads[slot]!] !== key) slot = (slot + 1) & mask;
      const last = heads[slot]!;
      if (last !== NONE && this.#before[last] === NONE) this.#shared[shared++] = slot;
      this.#before[record] = last;
      heads[slot] = record;
    }
    return shared;
  }

  #membersFrom(head: number): Int32Array {
    let count = 0;
    for (let member = head; member !== NONE; member = this.#before[member]!) {
      this.#members = grown(this.#members, count + 1);
      this.#members[count++] = member;
    }
    return this.#members.subarray(0, count);
  }
}

/** Union-find over the numbers below a size. */
class DisjointSets {
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, at) => at);
  }

  /** The number that stands for the set that a number is in. */
  find(number: number): number {
    const parents = this.#parents;
    let at = number;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }

  /** Makes one set of those of two numbers; the lesser of their representatives stands for it. */
  unite(a: number, b: number): void {
    const rootA = this.find(a);
    const rootB = this.find(b);
    if (rootA < rootB) this.#parents[rootB] = rootA;
    else this.#parents[rootA] = rootB;
  }
}

/** Steps between two pauses: some tens of milliseconds of comparing. */
const STEPS_BETWEEN_PAUSES = 2048;

/** Lets timers and signals in from time to time during long work. */
export class Pause {
  readonly #signal: AbortSignal;
  #steps = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to {@link take} a pause. */
  isDue(): boolean {
    return ++this.#steps % STEPS_BETWEEN_PAUSES === 0;
  }

  /** @throws the signal's reason when it is aborted */
  async take(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}
