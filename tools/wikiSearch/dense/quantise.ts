/** A vector as one byte a dimension, its largest one at 127: its angle to others stays, its length does not. */
export function quantise(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((value / largest) * 127));
}

/** The signs of a vector, a bit each (1: positive), filled up with zeros to whole bytes. */
export function signsOf(vector: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) bits[at >> 3]! |= 1 << (at & 7);
  return bits;
}

/** The cosine of the angle between two vectors of one length, neither of them zero. */
export function cosineOf(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let product = 0;
  let oneSquares = 0;
  let otherSquares = 0;
  for (let at = 0; at < one.length; at++) {
    product += one[at]! * other[at]!;
    oneSquares += one[at]! * one[at]!;
    otherSquares += other[at]! * other[at]!;
  }
  return product / Math.sqrt(oneSquares * otherSquares);
}
