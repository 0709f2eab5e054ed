/** Sum in iteration order; 0 without numbers. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Sum of all counts. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return sum(Object.values(counts));
}
