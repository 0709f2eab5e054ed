import { roundWidth } from '../../base/figures.ts';
import {
  type FacetName,
  type FigureName,
  facetNames,
  figureNames,
  plainFigures,
  type SortName,
} from './fields.ts';
import type { RowColumns } from './rowColumns.ts';

/** Values of one facet are alternatives; facets, ranges and search must all match. */
export interface RowFilter {
  readonly facets: Partial<Record<FacetName, readonly string[]>>;
  /** Minimum and maximum, inclusive. */
  readonly ranges: Partial<Record<FigureName, readonly [number, number]>>;
  readonly search: string;
  readonly sort: { readonly by: SortName; readonly isDescending: boolean };
}

/** Rows with a value that pass all filters but the facet's own. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** Bins of `width`, the first starting at `from`. */
export interface Histogram {
  readonly from: number;
  readonly width: number;
  readonly counts: readonly number[];
}

export interface FoundRows {
  readonly rows: Uint32Array;
  readonly facets: Record<FacetName, FacetCount[]>;
  readonly histograms: Partial<Record<FigureName, Histogram>>;
}

const MAX_BINS = 24;

/**
 * Selects rows and counts every value and figure. A facet's counts ignore its own filter, so that alternative choices
 * show.
 *
 * @param found ascending rows of a search; undefined without a search
 * @param ordered all rows with the sorting text, in order; undefined if not sorted by text
 */
export function queryRows(
  columns: RowColumns,
  filter: RowFilter,
  found: Uint32Array | undefined,
  ordered?: Uint32Array,
): FoundRows {
  const candidates = found ?? Uint32Array.from({ length: columns.size }, (_, row) => row);
  const tests = [...facetTests(columns, filter), ...rangeTests(columns, filter)];
  const failed = failedTests(candidates, tests);
  const passing = new Map<number, Uint32Array>();
  // A facet also counts rows that only its own filter excludes.
  const rowsFor = (of?: FacetName | FigureName): Uint32Array => {
    const own = tests.findIndex((test) => test.of === of) + 1;
    const rows = passing.get(own) ?? passingRows(candidates, failed, own);
    passing.set(own, rows);
    return rows;
  };
  const histograms = figureNames.flatMap((name) => {
    const histogram = plainFigures.has(name) ? undefined : histogramOf(columns, name, rowsFor(name));
    return histogram ? [[name, histogram] as const] : [];
  });
  return {
    rows: sortValues(columns, filter.sort.by, ordered).reduceRight<Uint32Array>(
      (rows, values) => sortedRows(rows, values, filter.sort.isDescending),
      rowsFor(),
    ),
    facets: Object.fromEntries(
      facetNames.map((name) => [name, countValues(columns, name, rowsFor(name))]),
    ) as FoundRows['facets'],
    histograms: Object.fromEntries(histograms),
  };
}

/** Condition on rows. Millions of rows are tested column by column, in monomorphic loops. */
interface RowTest {
  readonly of: FacetName | FigureName;
  readonly passes: (row: number) => boolean;
}

const SEVERAL = 255;

/** Result per candidate: 0 if all tests pass, the number of the only failed test (from 1), or SEVERAL. */
function failedTests(candidates: Uint32Array, tests: readonly RowTest[]): Uint8Array {
  const failed = new Uint8Array(candidates.length);
  for (const [nth, { passes }] of tests.entries())
    for (let at = 0; at < candidates.length; at++)
      if (failed[at] !== SEVERAL && !passes(candidates[at]!))
        failed[at] = failed[at] === 0 ? nth + 1 : SEVERAL;
  return failed;
}

/**
 * Candidates that pass every test except one. `filter` of typed arrays would leave 12 MB of garbage for 100,000 rows.
 */
function passingRows(candidates: Uint32Array, failed: Uint8Array, but: number): Uint32Array {
  const rows = new Uint32Array(candidates.length);
  let count = 0;
  for (let at = 0; at < candidates.length; at++)
    if (failed[at] === 0 || failed[at] === but) rows[count++] = candidates[at]!;
  return rows.slice(0, count);
}

function facetTests(columns: RowColumns, { facets }: RowFilter): RowTest[] {
  return facetNames.flatMap((of): RowTest[] => {
    const wanted = facets[of];
    if (!wanted || wanted.length === 0) return [];
    const { kind, words } = columns.words.get(of)!;
    const { values } = columns.facets.get(of)!;
    // Unknown values match no row.
    const codes = wanted.map((word) => words.indexOf(word) + 1).filter((code) => code > 0);
    const none = wanted.includes(NONE);
    if (kind === 'one') {
      const isWanted = new Uint8Array(words.length + 1);
      for (const code of none ? [0, ...codes] : codes) isWanted[code] = 1;
      return [{ of, passes: (row) => isWanted[values[row]!] === 1 }];
    }
    const bits = codes.reduce((all, code) => (all | (1 << (code - 1))) >>> 0, 0);
    return [{ of, passes: (row) => (values[row]! & bits) !== 0 || (none && values[row] === 0) }];
  });
}

function rangeTests(columns: RowColumns, { ranges }: RowFilter): RowTest[] {
  return figureNames.flatMap((of): RowTest[] => {
    const range = ranges[of];
    if (!range) return [];
    const { values } = columns.figures.get(of)!;
    const [least, most] = range;
    return [{ of, passes: (row) => values[row]! >= least && values[row]! <= most }];
  });
}

/** Name of rows without a value. */
export const NONE = '(none)';

function countValues(columns: RowColumns, name: FacetName, rows: Uint32Array): FacetCount[] {
  const { kind, words } = columns.words.get(name)!;
  const { values } = columns.facets.get(name)!;
  const counts = new Uint32Array(words.length + 1);
  for (const row of rows) {
    const value = values[row]!;
    if (kind === 'one' || value === 0) counts[value]!++;
    else for (let bit = 0; bit < words.length; bit++) counts[bit + 1]! += (value >>> bit) & 1;
  }
  return Array.from(counts, (count, code) => ({ value: code === 0 ? NONE : words[code - 1]!, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function histogramOf(columns: RowColumns, name: FigureName, rows: Uint32Array): Histogram | undefined {
  const { values } = columns.figures.get(name)!;
  const [least, most] = columns.extentOf(name);
  if (!(most > least)) return undefined;
  const width = roundWidth((most - least + 1) / MAX_BINS);
  const from = Math.floor(least / width) * width;
  const counts = new Array<number>(Math.floor((most - from) / width) + 1).fill(0);
  for (const row of rows) {
    const value = values[row]!;
    if (value >= least) counts[Math.floor((value - from) / width)]!++;
  }
  return { from, width, counts };
}

/** Sort columns, the most important first; NaN if a row has no value. */
function sortValues(
  columns: RowColumns,
  by: SortName,
  ordered: Uint32Array | undefined,
): readonly ArrayLike<number>[] {
  const figures = columns.figures.get(by === 'row' ? 'rollout' : (by as FigureName));
  if (figures) return by === 'row' ? [columns.task.values, figures.values] : [figures.values];
  const ranks = new Float32Array(columns.size).fill(Number.NaN);
  if (ordered) for (const [rank, row] of ordered.entries()) ranks[row] = rank;
  else rankWords(columns, by as FacetName, ranks);
  return [ranks];
}

/** Ranks rows by the first word of a facet, alphabetically. */
function rankWords(columns: RowColumns, name: FacetName, ranks: Float32Array): void {
  const { kind, words } = columns.words.get(name)!;
  const { values } = columns.facets.get(name)!;
  const codes = [...words.keys()].sort((a, b) => (words[a]! < words[b]! ? -1 : 1));
  for (let row = 0; row < ranks.length; row++) {
    const value = values[row]!;
    const rank = codes.findIndex((code) => (kind === 'one' ? value === code + 1 : (value >>> code) & 1));
    if (rank >= 0) ranks[row] = rank;
  }
}

const SIGN = 2 ** 31;

/**
 * Sorts rows; those without a value come last in both directions, and ties keep their order. Each row becomes one
 * number: the value as a 32-bit float, with bits changed to sort correctly, and its position. A comparison function
 * would create 30 MB of garbage for 100,000 rows.
 */
function sortedRows(rows: Uint32Array, values: ArrayLike<number>, isDescending: boolean): Uint32Array {
  const packed = new BigUint64Array(rows.length);
  const [halves, floats] = [new Uint32Array(packed.buffer), new Float32Array(packed.buffer)];
  for (let at = 0; at < rows.length; at++) {
    const value = values[rows[at]!]!;
    floats[2 * at + 1] = isDescending ? 0 - value : value + 0;
    const bits = halves[2 * at + 1]!;
    halves[2 * at + 1] = Number.isNaN(value) ? 2 ** 32 - 1 : bits < SIGN ? bits + SIGN : ~bits;
    halves[2 * at] = at;
  }
  packed.sort();
  return rows.map((_, at) => rows[halves[2 * at]!]!);
}
