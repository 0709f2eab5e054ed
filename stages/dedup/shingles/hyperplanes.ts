import { mix32 } from './mix32.ts';

/** What the four bytes of a hash add up to on average. */
const meanSum = 510;

/**
 * Random-hyperplane hashing (Charikar, STOC 2002): each bit says on which side of a plane through the origin a vector
 * lies, so that two vectors agree in it with probability 1 - angle / pi. The planes are the same on every machine.
 */
export class Hyperplanes {
  readonly #dimensions: number;
  readonly #normals: Float32Array;

  constructor(dimensions: number, planes: number) {
    this.#dimensions = dimensions;
    this.#normals = Float32Array.from({ length: dimensions * planes }, (_, at) => nearlyNormal(at));
  }

  /** Writes to each place of `sides` 1 or 0. */
  sketch(vector: Float32Array, sides: Int32Array): void {
    const dimensions = this.#dimensions;
    for (let plane = 0, at = 0; plane < sides.length; plane++) {
      let product = 0;
      for (let dimension = 0; dimension < dimensions; dimension++)
        product += vector[dimension]! * this.#normals[at++]!;
      sides[plane] = product >= 0 ? 1 : 0;
    }
  }
}

/** A sum of four evenly distributed bytes about 0: near enough to a normal distribution to favour no direction. */
function nearlyNormal(place: number): number {
  const hash = mix32(Math.imul(place + 1, 0x9e3779b1));
  return (hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - meanSum;
}
