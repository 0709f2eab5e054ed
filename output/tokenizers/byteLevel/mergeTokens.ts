import { grown } from '../../../base/growingColumn.ts';

export interface MergeTable {
  /**
   * Open-addressing hash table over pairs of ids, one cache line per pair. Each slot: left id + 1 (0 if free), right
   * id, rank, merged token.
   */
  readonly slots: Int32Array;
  /** One bit per hash of a pair: most lookups find no merge, and this fits the processor's cache. */
  readonly present: Int32Array;
}

const width = 4;
const presentMask = 2 ** 16 - 1;
/** Rank of a pair that never merges; higher than any other. */
const never = 0x7fffffff;

/** @param pairs - by rank; a later rank for the same pair wins, as in Hugging Face's `BPE` */
export function createMergeTable(
  pairs: readonly (readonly [left: number, right: number, joined: number])[],
): MergeTable {
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(16, pairs.length * 1.5)));
  const slots = new Int32Array(capacity * width);
  const present = new Int32Array(presentMask + 1);
  for (const [rank, [left, right, joined]] of pairs.entries()) {
    const hash = hashOf(left, right);
    slots.set([left + 1, right, rank, joined], slotOf(slots, left, right, hash));
    present[(hash >>> 5) & presentMask]! |= 1 << (hash & 31);
  }
  return { slots, present };
}

function hashOf(left: number, right: number): number {
  const hash = Math.imul(Math.imul(left, 0x9e3779b1) ^ right, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function slotOf(slots: Int32Array, left: number, right: number, hash: number): number {
  const mask = slots.length - 1;
  let slot = (hash << 2) & mask;
  for (;;) {
    const key = slots[slot]!;
    if (key === 0 || (key === left + 1 && slots[slot + 1] === right)) return slot;
    slot = (slot + width) & mask;
  }
}

function rankOf({ slots, present }: MergeTable, left: number, right: number): number {
  const hash = hashOf(left, right);
  if ((present[(hash >>> 5) & presentMask]! & (1 << (hash & 31))) === 0) return never;
  const slot = slotOf(slots, left, right, hash);
  return slots[slot] === 0 ? never : slots[slot + 2]!;
}

function joinedOf({ slots }: MergeTable, left: number, right: number): number {
  return slots[slotOf(slots, left, right, hashOf(left, right)) + 3]!;
}

/** Length up to which rescanning all pairs is faster than a heap. */
const shortPiece = 96;
/** Exceeds the tokens of any text; a rank times this is still exact in a double. */
const positions = 2 ** 31;

/**
 * Merges the first `count` tokens in place by byte-pair encoding, lowest rank first, leftmost on ties; returns the
 * number left. Takes n log n time, so that no observation can stall an export (`tiktoken` is quadratic on a long
 * piece).
 */
export function mergeTokens(tokens: Int32Array, count: number, merges: MergeTable): number {
  return count <= shortPiece ? mergeShort(tokens, count, merges) : mergeLong(tokens, count, merges);
}

/** Rank of the pair at each token; shared buffer, overwritten by every call. */
const ranks = new Int32Array(shortPiece);

function mergeShort(tokens: Int32Array, count: number, merges: MergeTable): number {
  let pairs = count - 1;
  for (let at = 0; at < pairs; at++) ranks[at] = rankOf(merges, tokens[at]!, tokens[at + 1]!);
  for (;;) {
    let best = 0;
    let lowest = never;
    for (let at = 0; at < pairs; at++) {
      if (ranks[at]! >= lowest) continue;
      lowest = ranks[at]!;
      best = at;
    }
    if (lowest === never) return pairs + 1;
    pairs -= 1;
    tokens[best] = joinedOf(merges, tokens[best]!, tokens[best + 1]!);
    for (let at = best + 1; at <= pairs; at++) {
      tokens[at] = tokens[at + 1]!;
      ranks[at] = ranks[at + 1]!;
    }
    if (best > 0) ranks[best - 1] = rankOf(merges, tokens[best - 1]!, tokens[best]!);
    if (best < pairs) ranks[best] = rankOf(merges, tokens[best]!, tokens[best + 1]!);
  }
}

function mergeLong(tokens: Int32Array, count: number, merges: MergeTable): number {
  const before = new Int32Array(count);
  const after = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    before[at] = at - 1;
    after[at] = at + 1;
  }
  const heap = new MinHeap(count);
  const rankAt = (at: number): number =>
    at < 0 || after[at]! >= count ? never : rankOf(merges, tokens[at]!, tokens[after[at]!]!);
  const consider = (at: number): void => {
    const rank = rankAt(at);
    if (rank !== never) heap.push(rank * positions + at);
  };
  for (let at = 0; at < count; at++) consider(at);
  while (heap.size > 0) {
    const key = heap.pop();
    const at = key % positions;
    const rank = (key - at) / positions;
    // One of the two has merged with another neighbour since.
    if (tokens[at]! < 0 || rankAt(at) !== rank) continue;
    const right = after[at]!;
    tokens[at] = joinedOf(merges, tokens[at]!, tokens[right]!);
    tokens[right] = -1;
    after[at] = after[right]!;
    if (after[at]! < count) before[after[at]!] = at;
    consider(before[at]!);
    consider(at);
  }
  return keepMerged(tokens, count);
}

function keepMerged(tokens: Int32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) if (tokens[at]! >= 0) tokens[kept++] = tokens[at]!;
  return kept;
}

class MinHeap {
  #keys: Float64Array;
  #size = 0;

  /** @param room - approximate number of keys */
  constructor(room: number) {
    this.#keys = new Float64Array(Math.max(1, room));
  }

  get size(): number {
    return this.#size;
  }

  push(key: number): void {
    const keys = grown(this.#keys, this.#size + 1);
    this.#keys = keys;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[at] = keys[parent]!;
      at = parent;
    }
    keys[at] = key;
  }

  /** Removes the minimum; the heap must not be empty. */
  pop(): number {
    const keys = this.#keys;
    const least = keys[0]!;
    const last = keys[--this.#size]!;
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= last) break;
      keys[at] = keys[child]!;
      at = child;
    }
    keys[at] = last;
    return least;
  }
}
