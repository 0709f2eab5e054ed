import { grown } from '../../../base/grown.ts';

/** A binary heap of numbers that grows; the least comes out first. */
export class MinHeap {
  #keys: Float64Array;
  #size = 0;

  /** @param room - how many keys it will hold, roughly */
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

  /** Takes the least key out; the heap must not be empty. */
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
