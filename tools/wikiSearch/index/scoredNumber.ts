/** A passage by its number with its score: BM25, higher is better. */
export interface ScoredNumber {
  readonly number: number;
  readonly score: number;
}
