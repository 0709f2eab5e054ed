import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import type { ValueCounts } from '../../schemas/report.ts';

const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** A share between 0 and 1 in per cent; a dash where there is nothing to share. */
export function share(part: number, total: number): string {
  return total === 0 ? '–' : percent.format(part / total);
}

/** The number that half of the values don't exceed; 0 of none. */
export function median(values: ValueCounts): number {
  let left = Math.ceil(sum([...values.values()]) / 2);
  for (const [value, times] of [...values].sort(([a], [b]) => a - b)) {
    left -= times;
    if (left <= 0) return value;
  }
  return 0;
}

/** Sum over counted values. */
export function sumOfCounts(values: ValueCounts): number {
  return [...values].reduce((total, [value, times]) => total + value * times, 0);
}

/** All values of several counts. */
export function mergedCounts(counts: readonly ValueCounts[]): ValueCounts {
  const all = new Counts<number>();
  for (const [value, times] of counts.flatMap((own) => [...own])) all.add(value, times);
  return all;
}
