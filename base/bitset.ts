import { grown } from './growingColumn.ts';

const BITS = 32;

/** A set of non-negative integers with one bit each: a million finished tasks take 125 KB. */
export class Bitset {
  #words = new Uint32Array(32);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    const word = this.#words[Math.floor(index / BITS)] ?? 0;
    return ((word >>> (index % BITS)) & 1) === 1;
  }

  *values(): Generator<number> {
    for (let index = 0; index < this.#words.length * BITS; index++) if (this.has(index)) yield index;
  }

  /** Adds a number; false if it was present. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    const place = Math.floor(index / BITS);
    this.#words = grown(this.#words, place + 1);
    this.#words[place] = this.#words[place]! | (1 << (index % BITS));
    this.#size++;
    return true;
  }

  delete(index: number): void {
    if (!this.has(index)) return;
    const place = Math.floor(index / BITS);
    this.#words[place] = this.#words[place]! & ~(1 << (index % BITS));
    this.#size--;
  }
}
