import { mix32 } from '../shingles/mix32.ts';

/** Most pairs remembered: 4 MB. */
const MAX_PAIRS = 1 << 18;

/** Remembers how similar pairs are, since most meet in several bands. A pair may be forgotten for another. */
export class KnownSimilarities {
  readonly #mask: number;
  /** The lesser number of each pair and one, so that 0 means none; then the greater. */
  readonly #pairs: Uint32Array;
  readonly #similarities: Float64Array;

  /** @param count - How many contents there are. */
  constructor(count: number) {
    const pairs = Math.min(MAX_PAIRS, 2 ** Math.ceil(Math.log2(count + 1)));
    this.#mask = pairs - 1;
    this.#pairs = new Uint32Array(2 * pairs);
    this.#similarities = new Float64Array(pairs);
  }

  /** The similarity of a pair, which is worked out where it is not remembered. */
  of(a: number, b: number, workOut: () => number): number {
    const lesser = Math.min(a, b);
    const greater = Math.max(a, b);
    const place = mix32(lesser + Math.imul(greater, 0x9e3779b1)) & this.#mask;
    const isKnown = this.#pairs[2 * place] === lesser + 1 && this.#pairs[2 * place + 1] === greater;
    if (!isKnown) {
      this.#similarities[place] = workOut();
      this.#pairs[2 * place] = lesser + 1;
      this.#pairs[2 * place + 1] = greater;
    }
    return this.#similarities[place]!;
  }
}
