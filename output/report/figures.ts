import { Counts } from '../../base/counts.ts';
import type { ValueCounts } from '../../schemas/report.ts';

const whole = new Intl.NumberFormat('en-US');
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** A whole number with thousands marks. */
export function count(value: number): string {
  return whole.format(value);
}

/** A share between 0 and 1 in per cent; a dash where there is nothing to share. */
export function share(part: number, total: number): string {
  return total === 0 ? '–' : percent.format(part / total);
}

/** Dollars: two digits after the point, four below ten cents. */
export function dollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
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

/** Sum over a list. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** A reason code in words: `wrong_answer` becomes `wrong answer`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}
