import { grown } from '../../../base/grown.ts';
import { mix32 } from '../shingles/mix32.ts';

const NONE = 0xffffffff;
/** Odd, so that no number of the sketch is lost. */
const SKETCH_FACTOR = 0x297a2d39;

/**
 * Tells contents apart by 64 bits and the number of shingles: those of equal content get the number of the first. The
 * bits are a sum over the shingles' hashes and a hash of their sketch, so that equal content is what has the same
 * shingles as often.
 */
export class ContentTable {
  /** Two hashes and a count for each content. */
  #marks = new Uint32Array(1 << 8);
  #slots = new Uint32Array(1 << 8).fill(NONE);
  count = 0;

  /** The number of a content, by the sum of its shingles' hashes, their number and sketch; new ones are numbered on. */
  numberOf(sum: number, count: number, sketch: Int32Array): number {
    let order = 0;
    for (let at = 0; at < sketch.length; at++) order = (Math.imul(order, SKETCH_FACTOR) + sketch[at]!) | 0;
    return this.#find(mix32(sum) >>> 0, mix32(order) >>> 0, count);
  }

  /** Below 0 when the first content stands before the second, whatever their numbers. */
  compare(a: number, b: number): number {
    const marks = this.#marks;
    for (let mark = 0; mark < 3; mark++) {
      const difference = marks[3 * a + mark]! - marks[3 * b + mark]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #find(sum: number, order: number, count: number): number {
    if (2 * this.count >= this.#slots.length) this.#spread();
    const marks = this.#marks;
    const mask = this.#slots.length - 1;
    let slot = sum & mask;
    for (let known = this.#slots[slot]!; known !== NONE; known = this.#slots[slot]!) {
      if (marks[3 * known] === sum && marks[3 * known + 1] === order && marks[3 * known + 2] === count)
        return known;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.count;
    this.#marks = grown(marks, 3 * this.count + 3);
    const at = 3 * this.count;
    this.#marks[at] = sum;
    this.#marks[at + 1] = order;
    this.#marks[at + 2] = count;
    return this.count++;
  }

  #spread(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length).fill(NONE);
    const mask = this.#slots.length - 1;
    for (let content = 0; content < this.count; content++) {
      let slot = this.#marks[3 * content]! & mask;
      while (this.#slots[slot] !== NONE) slot = (slot + 1) & mask;
      this.#slots[slot] = content;
    }
  }
}
