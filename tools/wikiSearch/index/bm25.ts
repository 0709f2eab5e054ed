/** Saturation of a term's frequency, and weight of a passage's length; those of SQLite's `bm25()`. */
const K1 = 1.2;
const B = 0.75;
/** SQLite's `bm25()` never lets a word that most passages hold count against one. */
const LEAST_WEIGHT = 1e-6;

/** The weight of a word that `holding` of `passages` passages hold: its inverse document frequency. */
export function wordWeight(passages: number, holding: number): number {
  return Math.max(LEAST_WEIGHT, Math.log((passages - holding + 0.5) / (holding + 0.5)));
}

/**
 * What a word adds to a passage's score: more where it is rare, frequent in the passage, and the passage is short.
 *
 * @param frequency how often the passage holds it, its places weighted
 * @param relativeLength of the passage, beside the average of the corpus
 */
export function wordScore(weight: number, frequency: number, relativeLength: number): number {
  return (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeLength));
}
