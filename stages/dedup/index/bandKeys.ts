import { mix32 } from '../../../base/hash32.ts';

/** Records per page: pages are added as records arrive, without copying and with little waste. */
const PAGE_RECORDS = 1 << 8;
const ROW_FACTOR = 0x2c1b3c6d;

/** One 32-bit key per record and band; the keys of a band are contiguous. */
export class BandKeys {
  readonly #shape: Bands;
  readonly #pages: Uint32Array[] = [];
  #count = 0;

  constructor(shape: Bands) {
    this.#shape = shape;
  }

  get bands(): number {
    return this.#shape.bands;
  }

  /** Adds the keys of the next record. */
  add(sketch: Int32Array): void {
    const { bands, rows } = this.#shape;
    const place = this.#count++ % PAGE_RECORDS;
    if (place === 0) this.#pages.push(new Uint32Array(bands * PAGE_RECORDS));
    const page = this.#pages.at(-1)!;
    for (let band = 0, at = 0; band < bands; band++) {
      let key = 0;
      for (let row = 0; row < rows; row++) key = (Math.imul(key, ROW_FACTOR) + sketch[at++]!) | 0;
      page[band * PAGE_RECORDS + place] = mix32(key);
    }
  }

  at(band: number, record: number): number {
    return this.#pages[Math.floor(record / PAGE_RECORDS)]![band * PAGE_RECORDS + (record % PAGE_RECORDS)]!;
  }
}

/** Division of a sketch for locality-sensitive hashing: two records meet if all rows of one band are equal. */
export interface Bands {
  readonly bands: number;
  readonly rows: number;
}

/** Maximum numbers of a shingle sketch; more make the threshold steeper at 4 bytes per band. */
const DEFAULT_SKETCH_SIZE = 256;
/** Maximum share of pairs exactly at the threshold that never meet; far fewer are lost 0.05 above it. */
const MAX_MISSED_AT_THRESHOLD = 0.005;

/**
 * Bands for a threshold of Jaccard similarity: as many rows as fit into the sketch, so that dissimilar records rarely
 * meet, and enough bands that at most 1 in 200 pairs at the threshold is missed. A pair of similarity s meets with
 * probability 1 - (1 - s^rows)^bands.
 * @param threshold - Probability that a number of the sketch is the same for the two of a pair.
 */
export function chooseBands(threshold: number, maxSketchSize = DEFAULT_SKETCH_SIZE): Bands {
  let best: Bands = { bands: bandsFor(threshold, 1), rows: 1 };
  for (let rows = 2; rows <= maxSketchSize; rows++) {
    const bands = bandsFor(threshold, rows);
    if (bands * rows > maxSketchSize) break;
    best = { bands, rows };
  }
  return best;
}

function bandsFor(threshold: number, rows: number): number {
  const bandIsEqual = threshold ** rows;
  return bandIsEqual >= 1 ? 1 : Math.ceil(Math.log(MAX_MISSED_AT_THRESHOLD) / Math.log1p(-bandIsEqual));
}
