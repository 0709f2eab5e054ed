import { grown } from './grown.ts';

const FIRST_SIZE = 1_024;

/** One number a record in a typed array that grows with the records. */
export class GrowingColumn<T extends Float64Array | Uint32Array> {
  #values: T;
  #length = 0;

  constructor(create: new (size: number) => T) {
    this.#values = new create(FIRST_SIZE);
  }

  /** Places up to the last one that was set. */
  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.set(this.#length, value);
  }

  set(place: number, value: number): void {
    this.#values = grown(this.#values, place + 1);
    this.#values[place] = value;
    this.#length = Math.max(this.#length, place + 1);
  }

  /** 0 where nothing was set. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }
}
