type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The array itself if large enough, otherwise a copy of at least twice the size. */
export function grown<A extends NumberArray>(array: A, places: number): A {
  if (array.length >= places) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(places, 2 * array.length));
  larger.set(array);
  return larger;
}

const FIRST_SIZE = 1_024;

/** A typed array with one number per record that grows on demand. */
export class GrowingColumn<T extends Float64Array | Uint32Array> {
  #values: T;
  #length = 0;

  constructor(create: new (size: number) => T) {
    this.#values = new create(FIRST_SIZE);
  }

  /** Length up to the last entry set. */
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

  /** 0 for an entry that was not set. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }
}
