type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The array itself where it has so many places, otherwise a copy with at least twice as many. */
export function grown<A extends NumberArray>(array: A, places: number): A {
  if (array.length >= places) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(places, 2 * array.length));
  larger.set(array);
  return larger;
}
