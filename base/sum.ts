/** The sum of numbers, in their order; 0 of none. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The sum of counts, whatever they count. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return sum(Object.values(counts));
}
