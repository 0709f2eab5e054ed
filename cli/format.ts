import { printable } from '../base/printable.ts';
import { wrapWords } from './wrapWords.ts';

/** Formats a count with thousands separators: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats a duration: `0.4 s`, `12 s`, `3 min 20 s` or `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Remaining time with a leading dot; empty if unknown.
 *
 * @param began share of the work, 0 to 1, that was done when this session began
 * @param share share that is done now
 */
export function timeLeft(began: number, share: number, elapsedMs: number): string {
  if (share <= began || share >= 1) return '';
  return ` · ${formatDuration((elapsedMs * (1 - share)) / (share - began))} left`;
}

/** Formats a rate in the smallest unit of time that gives 1 or more: `12/s`, `2.5/min`, `3/h`. */
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

interface TableOptions {
  /** Maximum characters per line; default: the terminal's width, unlimited without a terminal. */
  readonly width?: number | undefined;
  /**
   * Weight per column; if the table is too wide, the lightest is dropped first. Default: the last one, until two are
   * left.
   */
  readonly weights?: readonly number[];
  /** Colours a cell after padding; the head is not coloured. */
  readonly paint?: ((text: string, column: number, row: number) => string) | undefined;
}

/** Minimum width of a narrowed column. */
const NARROWEST = 16;

/**
 * Formats rows as aligned columns with a head; numbers are right-aligned, control characters are escaped. In a table
 * that is too wide, text columns are wrapped, widest first, or light columns are dropped and listed below.
 */
export function formatTable(
  rows: readonly (readonly (string | number)[])[],
  options: TableOptions = {},
): string[] {
  const { width = process.stdout.isTTY ? process.stdout.columns : Infinity } = options;
  const cells = rows.map((row) =>
    row.map((cell) => printable(typeof cell === 'number' ? formatCount(cell) : cell)),
  );
  const isNumber = (rows[1] ?? []).map((cell) => typeof cell === 'number');
  const all = (rows[0] ?? []).map((_, column) => column);
  const { weights = all.map((column) => -column) } = options;
  let shown = all;
  let widths = widthsOf(cells);
  const over = () => shown.reduce((sum, column) => sum + widths[column]! + 2, -2) - width;
  while (over() > 0) {
    const narrowed = narrowWidest(cells, widths, { shown, by: over() });
    if (narrowed) widths = narrowed;
    else if (shown.length <= (options.weights ? 1 : 2)) break;
    else {
      const lightest = shown.reduce((a, b) => (weights[b]! < weights[a]! ? b : a));
      shown = shown.filter((column) => column !== lightest);
    }
  }
  const left = (cells[0] ?? []).filter((_, column) => !shown.includes(column));
  const lines = cells.flatMap((row, at) =>
    rowLines(row, at, { shown, widths, isNumber, paint: options.paint }),
  );
  return [
    ...lines,
    ...(left.length === 0 ? [] : [`not shown, the terminal is too narrow: ${left.join(', ')}`]),
  ];
}

function widthsOf(cells: readonly (readonly string[])[]): number[] {
  const [head = []] = cells;
  return head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
}

/** Narrows text columns, widest first; undefined if words are too long. */
function narrowWidest(
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  { shown, by }: { readonly shown: readonly number[]; readonly by: number },
): number[] | undefined {
  const narrowed = [...widths];
  let left = by;
  for (const column of shown.toSorted((a, b) => widths[b]! - widths[a]!)) {
    const words = cells.flatMap((row) => wrapWords(row[column] ?? '', 1, '').map(({ length }) => length));
    const spare = Math.max(0, widths[column]! - Math.max(NARROWEST, ...words));
    narrowed[column]! -= Math.min(left, spare);
    left -= Math.min(left, spare);
  }
  return left > 0 ? undefined : narrowed;
}

interface RowOptions extends Pick<TableOptions, 'paint'> {
  readonly shown: readonly number[];
  readonly widths: readonly number[];
  readonly isNumber: readonly boolean[];
}

function rowLines(
  row: readonly string[],
  at: number,
  { shown, widths, isNumber, paint }: RowOptions,
): string[] {
  const columns = shown.map((column) => wrapWords(row[column] ?? '', widths[column]!, ''));
  const height = Math.max(1, ...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    shown
      .map((column, place) => {
        const text = columns[place]![line] ?? '';
        const isLast = place === shown.length - 1;
        const padded = isNumber[column]
          ? text.padStart(widths[column]!)
          : isLast
            ? text
            : text.padEnd(widths[column]!);
        return paint && at > 0 ? paint(padded, column, at) : padded;
      })
      .join('  ')
      .trimEnd(),
  );
}
