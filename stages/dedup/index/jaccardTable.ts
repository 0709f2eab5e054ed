/** Slots of the hash table for each shingle: sparse enough that a search ends at once. */
const SLOTS_PER_SHINGLE = 2;
/** Marks of a comparison: in the first list, in both, in the second alone. */
const MARKS_PER_COMPARISON = 3;

/** Compares lists of shingle hashes as sets. Its hash table is as large as the largest pair compared. */
export class JaccardTable {
  #hashes = new Int32Array(1 << 12);
  /** A slot is free when its mark is from an earlier comparison, so that nothing has to be cleared. */
  #marks = new Int32Array(1 << 12);
  #mark = 0;

  /** Jaccard similarity of the sets of two lists: shared shingles over all; 1 for two empty ones. */
  compare(a: Int32Array, b: Int32Array): number {
    const mask = this.#prepare(a.length + b.length);
    const hashes = this.#hashes;
    const marks = this.#marks;
    const first = this.#mark;
    let union = 0;
    for (let at = 0; at < a.length; at++) {
      const hash = a[at]!;
      const slot = slotOf(hash, hashes, marks, first, mask);
      if (marks[slot]! >= first) continue;
      hashes[slot] = hash;
      marks[slot] = first;
      union++;
    }
    let shared = 0;
    for (let at = 0; at < b.length; at++) {
      const hash = b[at]!;
      const slot = slotOf(hash, hashes, marks, first, mask);
      const mark = marks[slot]!;
      if (mark === first) {
        marks[slot] = first + 1;
        shared++;
      } else if (mark < first) {
        hashes[slot] = hash;
        marks[slot] = first + 2;
        union++;
      }
    }
    return union === 0 ? 1 : shared / union;
  }

  #prepare(shingles: number): number {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, shingles) * SLOTS_PER_SHINGLE));
    const isWornOut = this.#mark > 0x7fffffff - 2 * MARKS_PER_COMPARISON;
    if (slots > this.#hashes.length || isWornOut) {
      const length = Math.max(slots, this.#hashes.length);
      this.#hashes = new Int32Array(length);
      this.#marks = new Int32Array(length);
      this.#mark = 0;
    }
    this.#mark = this.#mark === 0 ? 1 : this.#mark + MARKS_PER_COMPARISON;
    return slots - 1;
  }
}

/** The slot that holds a hash, or the free one where it belongs. */
function slotOf(hash: number, hashes: Int32Array, marks: Int32Array, first: number, mask: number): number {
  let slot = hash & mask;
  while (marks[slot]! >= first && hashes[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}
