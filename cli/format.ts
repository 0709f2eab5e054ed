import type { Interval } from '../operations/forecast/interval.ts';

/** A count with thousands apart: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A time such as `0.4 s`, `12 s`, `3 min 20 s` or `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * What is said of the time left, with a dot before it; nothing where it can't be told.
 *
 * @param began share of the work, 0 to 1, that was done when this session began
 * @param share share that is done now
 */
export function timeLeft(began: number, share: number, elapsedMs: number): string {
  if (share <= began || share >= 1) return '';
  return ` · ${formatDuration((elapsedMs * (1 - share)) / (share - began))} left`;
}

/** A pace in the largest unit of time that gives a number of 1 or more: `12/s`, `2.5/min`, `3/h`. */
export function formatRate(perSecond: number): string {
  const [unit, each] = (
    [
      ['s', 1],
      ['min', 60],
    ] as const
  ).find(([, each]) => perSecond * each >= 1) ?? ['h', 3600];
  const rate = perSecond * each;
  return `${rate >= 10 ? formatCount(Math.round(rate)) : rate.toFixed(1)}/${unit}`;
}

/** A sum of money; small ones keep four digits. */
export function formatUsd(usd: number): string {
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toFixed(4)}`;
}

/** Bytes as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Rows as aligned columns, the first row being the head; columns of numbers stand right. */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        typeof rows[1]?.[column] === 'number'
          ? String(cell).padStart(widths[column]!)
          : String(cell).padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** An interval as `about 12 (8 to 16)`. */
export function formatInterval({ low, expected, high }: Interval, format: (value: number) => string): string {
  return `about ${format(expected)} (${format(low)} to ${format(high)})`;
}
