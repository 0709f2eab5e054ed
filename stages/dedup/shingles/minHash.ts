import { mix32 } from '../../../base/hash32.ts';

/** Stands in a bin that no shingle fell into; a shingle with this hash is passed over where there are others. */
const empty = 0x7fffffff;
/**
 * One-permutation MinHash with optimal densification (Shrivastava, ICML 2017). A shingle's hash says by its first bits
 * which bin it belongs to, and each bin keeps its least hash; an empty bin takes over that of another, drawn by hash
 * among those that are not empty, so that two sets agree in it with the probability of their Jaccard similarity.
 */
export class MinHash {
  readonly #bins: number;
  /** For each bin all bins in an order of its own: the first of them that is not empty fills it. */
  readonly #order: Uint16Array;
  /** Bins of the set under work that are empty, and what they take over. */
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
      // The lesser of two numbers of 31 bits without a jump, which would be predicted wrongly every other time.
      const difference = (hash >>> 1) - least;
      sketch[bin] = least + (difference & (difference >> 31));
    }
    this.#densify(sketch);
  }

  #densify(sketch: Int32Array): void {
    const gaps = this.#gaps;
    let count = 0;
    for (let bin = 0; bin < this.#bins; bin++) if (sketch[bin] === empty) gaps[count++] = bin;
    // Every shingle had the hash that stands for none.
    if (count === this.#bins) sketch[gaps[--count]!] = empty - 1;
    for (let gap = 0; gap < count; gap++) this.#fillings[gap] = sketch[this.#nextDonor(gaps[gap]!, sketch)]!;
    // Only now: what was filled in is not a donor.
    for (let gap = 0; gap < count; gap++) sketch[gaps[gap]!] = this.#fillings[gap]!;
  }

  /** The first bin in the order of an empty one that is not empty. */
  #nextDonor(gap: number, sketch: Int32Array): number {
    for (let at = gap * this.#bins; ; at++) {
      const donor = this.#order[at]!;
      if (sketch[donor] !== empty) return donor;
    }
  }
}

/** One shuffle of all bins after another, the same on every machine. */
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
