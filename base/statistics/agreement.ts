import { sum } from '../sum.ts';

/**
 * Cohen's kappa: agreement of two raters beyond chance, from -1 to 1 (Cohen 1960). null without ratings, or if chance
 * alone would agree on everything.
 * @param counts - How often the first said the row's value and the second the column's.
 */
export function cohensKappa(counts: readonly (readonly number[])[]): number | null {
  const rows = counts.map(sum);
  const columns = counts.map((_, at) => sum(counts.map((row) => row[at]!)));
  const all = sum(rows);
  const agreed = sum(counts.map((row, at) => row[at]!));
  const chance = sum(rows.map((row, at) => row * columns[at]!));
  // Integers so far: if chance agrees on everything, the rest is exactly 0.
  const beyondChance = all * all - chance;
  return beyondChance === 0 ? null : (all * agreed - chance) / beyondChance;
}
