/** Softens the first ranks; 60 as in Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (SIGIR 2009). */
const K = 60;

/**
 * Fuses rankings of passage numbers, best first: a passage scores `1 / (60 + rank)` in each ranking that has it, ranks
 * from 1. Equal scores by number; in which order the rankings come makes no difference.
 */
export function reciprocalRankFusion(
  rankings: readonly (readonly number[])[],
): { readonly number: number; readonly score: number }[] {
  const ranks = new Map<number, number[]>();
  for (const ranking of rankings) {
    for (const [at, number] of ranking.entries()) {
      const known = ranks.get(number);
      if (known) known.push(at + 1);
      else ranks.set(number, [at + 1]);
    }
  }
  return [...ranks]
    .map(([number, own]) => ({ number, score: scoreOf(own) }))
    .sort((one, other) => other.score - one.score || one.number - other.number);
}

/** Summed from the best rank on, since sums of floating-point numbers depend on their order. */
function scoreOf(ranks: readonly number[]): number {
  return ranks.toSorted((one, other) => one - other).reduce((score, rank) => score + 1 / (K + rank), 0);
}
