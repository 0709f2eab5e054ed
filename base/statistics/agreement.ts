import { Counts } from '../counts.ts';
import { sum } from '../sum.ts';

/**
 * Cohen's kappa: how far two raters agree beyond what the shares of both make by chance, from -1 to 1 (Cohen 1960). null
 * where there is nothing to rate, or chance alone would agree on everything.
 *
 * @param counts - How often the first said the row's value and the second the column's.
 */
export function cohensKappa(counts: readonly (readonly number[])[]): number | null {
  const rows = counts.map(sum);
  const columns = counts.map((_, at) => sum(counts.map((row) => row[at]!)));
  const all = sum(rows);
  const agreed = sum(counts.map((row, at) => row[at]!));
  const chance = sum(rows.map((row, at) => row * columns[at]!));
  // Whole numbers up to here: where chance agrees on everything, the rest is exactly 0.
  const beyondChance = all * all - chance;
  return beyondChance === 0 ? null : (all * agreed - chance) / beyondChance;
}

/**
 * Krippendorff's alpha of nominal values, for any number of raters of whom each may rate only some things: 1 less the
 * disagreement seen over that by chance (Krippendorff 2004, chapter 11). null where nothing was rated twice, or with one
 * and the same value throughout.
 *
 * @param ratings - Of each thing the values that its raters gave, in any order.
 */
export function krippendorffsAlpha(ratings: readonly (readonly string[])[]): number | null {
  const totals = new Counts();
  let seen = 0;
  for (const values of ratings.filter(({ length }) => length > 1)) {
    for (const [value, count] of Counts.of(values)) {
      totals.add(value, count);
      seen += (count * (values.length - count)) / (values.length - 1);
    }
  }
  const counts = [...totals.values()];
  const all = sum(counts);
  const byChance = sum(counts.map((count) => count * (all - count)));
  return byChance === 0 ? null : 1 - ((all - 1) * seen) / byChance;
}
