import { roundWidth } from '../../../base/figures.ts';
import type { ValueCounts } from '../../../schemas/report.ts';
import type { Histogram } from '../../index/queryRows.ts';

const MAX_BINS = 14;

/** Bins of a round width from zero, or from the minimum if that is far off. */
export function binsOf(values: ValueCounts): Histogram {
  if (values.length === 0) return { from: 0, width: 1, counts: [] };
  const least = values.reduce((found, [value]) => Math.min(found, value), Number.POSITIVE_INFINITY);
  const most = mostOf(values);
  const start = Math.min(least, most / 2);
  const width = roundWidth((most - start + 1) / MAX_BINS);
  const first = Math.floor(start / width);
  const counts = new Array<number>(Math.floor(most / width) - first + 1).fill(0);
  for (const [value, times] of values) counts[Math.floor(value / width) - first]! += times;
  return { from: first * width, width, counts };
}

/** Median; 0 without values. */
export function medianOf(values: ValueCounts): number {
  let left = Math.ceil(values.reduce((sum, [, times]) => sum + times, 0) / 2);
  for (const [value, times] of [...values].sort(([a], [b]) => a - b)) {
    left -= times;
    if (left <= 0) return value;
  }
  return 0;
}

export function totalOf(values: ValueCounts): number {
  return values.reduce((total, [value, times]) => total + value * times, 0);
}

/** Maximum; 0 without values. */
export function mostOf(values: ValueCounts): number {
  return values.reduce((found, [value]) => Math.max(found, value), 0);
}
