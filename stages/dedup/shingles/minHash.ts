import { mix32 } from '../../../base/hash32.ts';

/** Marker of an empty bin; a shingle with this hash is ignored if there are others. */
const empty = 0x7fffffff;
/**
 * One-permutation MinHash with optimal densification (Shrivastava, ICML 2017). The first bits of a shingle's hash
 * select its bin, and each bin keeps its minimum hash; an empty bin copies a non-empty one chosen by hash, so that
 * two sets agree in it with the probability of their Jaccard similarity.
 */
export class MinHash {
  readonly #bins: number;
  /** For each bin its own order of all bins: the first non-empty one fills it. */
  readonly #order: Uint16Array;
  /** Empty bins of the current set and their donors. */
  readonly #gaps: Uint16Array;
  readonly #fillings: Int32Array;

  /** @param bins - Numbers of a sketch, fewer than 65,536. */
  constructor(bins: number) {
    this.#bins = bins;
    this.#order = shuffledBins(bins);
    this.#gaps = new Uint16Array(bins);
    this.#fillings = new Int32Array(bins);
  }

  /** Writes the sketch of the first `count` shingles, at least one, to `sketch`. */
  sketch(shingles: Int32Array, count: number, sketch: Int32Array): void {
    const bins = this.#bins;
    sketch.fill(empty);
    for (let at = 0; at < count; at++) {
      const hash = shingles[at]!;
      const bin = Math.imul(hash >>> 16, bins) >>> 16;
      const least = sketch[bin]!;
      // Branch-free minimum of two 31-bit numbers: a branch would be mispredicted half the time.
      const difference = (hash >>> 1) - least;
      sketch[bin] = least + (difference & (difference >> 31));
    }
    this.#densify(sketch);
  }

  #densify(sketch: Int32Array): void {
    const gaps = this.#gaps;
    let count = 0;
    for (let bin = 0; bin < this.#bins; bin++) if (sketch[bin] === empty) gaps[count++] = bin;
    // All shingles had the hash reserved for empty bins.
    if (count === this.#bins) sketch[gaps[--count]!] = empty - 1;
    for (let gap = 0; gap < count; gap++) this.#fillings[gap] = sketch[this.#nextDonor(gaps[gap]!, sketch)]!;
    // Filled last, since a filled bin is not a donor.
    for (let gap = 0; gap < count; gap++) sketch[gaps[gap]!] = this.#fillings[gap]!;
  }

  /** First non-empty bin in an empty bin's order. */
  #nextDonor(gap: number, sketch: Int32Array): number {
    for (let at = gap * this.#bins; ; at++) {
      const donor = this.#order[at]!;
      if (sketch[donor] !== empty) return donor;
    }
  }
}

/** Successive shuffles of all bins, the same on every machine. */
function shuffledBins(bins: number): Uint16Array {
  const shuffled = new Uint16Array(bins * bins);
  for (let start = 0; start < shuffled.length; start += bins) {
    for (let place = 0; place < bins; place++) {
      const other = (mix32(start + place + 1) >>> 0) % (place + 1);
      shuffled[start + place] = shuffled[start + other]!;
      shuffled[start + other] = place;
    }
  }
  return shuffled;
}
