/** How a sketch is cut for locality-sensitive hashing: two records meet when all rows of one band are equal. */
export interface Bands {
  readonly bands: number;
  readonly rows: number;
}

/** Most numbers of a sketch of shingles; more of them cut steeper and cost memory: 4 bytes a band. */
const DEFAULT_SKETCH_SIZE = 256;
/** Share of the pairs exactly at the threshold that may never meet; of those 0.05 above it far fewer are lost. */
const MAX_MISSED_AT_THRESHOLD = 0.005;

/**
 * The bands for a threshold of Jaccard similarity: as many rows as fit into the sketch, so that unlike records rarely
 * meet, and so many bands that at most 1 in 200 of the pairs at the threshold is missed. A pair of similarity s meets
 * with probability 1 - (1 - s^rows)^bands.
 *
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
