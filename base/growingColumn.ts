type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The array itself where it has so many places, otherwise a copy with at least twice as many. */
export function grown<A extends NumberArray>(array: A, places: number): A {
  if (array.length >= places) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(places, 2 * array.length));
  larger.set(array);
  return larger;
}

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
