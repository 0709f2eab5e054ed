import { roundWidth } from '../../base/figures.ts';
import { type FacetName, type FigureName, facetNames, figureNames } from './fields.ts';
import type { RowColumns } from './rowColumns.ts';

/** Which rows are wanted: of one facet any of the values, of different ones all; figures within their range. */
export interface RowFilter {
  readonly facets: Partial<Record<FacetName, readonly string[]>>;
  /** Least and greatest value, both of them in. */
  readonly ranges: Partial<Record<FigureName, readonly [number, number]>>;
  readonly search: string;
  readonly sort: { readonly by: FigureName | 'row'; readonly isDescending: boolean };
}

/** How many rows have a value, where all filters but the facet's own are met. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** Values from `from` on, `width` a bin. */
export interface Histogram {
  readonly from: number;
  readonly width: number;
  readonly counts: readonly number[];
}

/** What a filter finds. */
export interface FoundRows {
  /** Numbers of the rows, sorted as asked. */
  readonly rows: Uint32Array;
  readonly facets: Record<FacetName, FacetCount[]>;
  readonly histograms: Partial<Record<FigureName, Histogram>>;
}

const MAX_BINS = 24;

/**
 * The rows that a filter finds, with counts of every value and figure: each facet is counted as if its own filter were not
 * there, so that the other choices show.
 *
 * @param found the rows that a search has found, ascending; undefined without a search
 */
export function queryRows(columns: RowColumns, filter: RowFilter, found: Uint32Array | undefined): FoundRows {
  const candidates = found ?? everyRow(columns.size);
  const tests = [...facetTests(columns, filter), ...rangeTests(columns, filter)];
  const failed = failedTests(candidates, tests);
  // Of a row that exactly one filter keeps out, that filter's own facet counts it all the same.
  const ownTest = (of: FacetName | FigureName) => tests.findIndex((test) => test.of === of) + 1;
  const facets = facetNames.map((name) => {
    const counts = countValues(columns, name, candidates, failed, ownTest(name));
    return [name, counts] as const;
  });
  const histograms = figureNames.flatMap((name) => {
    const histogram = histogramOf(columns, name, candidates, failed, ownTest(name));
    return histogram ? [[name, histogram] as const] : [];
  });
  const rows = sortedRows(columns, passingRows(candidates, failed), filter.sort);
  return {
    rows,
    facets: Object.fromEntries(facets) as FoundRows['facets'],
    histograms: Object.fromEntries(histograms),
  };
}

function everyRow(size: number): Uint32Array {
  const rows = new Uint32Array(size);
  for (let row = 0; row < size; row++) rows[row] = row;
  return rows;
}

/** What a row must pass. Columns are gone through one by one, in loops over one kind of numbers: rows are millions. */
interface RowTest {
  readonly of: FacetName | FigureName;
  readonly passes: (row: number) => boolean;
}

/** Stands for a row that several tests keep out. */
const SEVERAL = 255;

/** Of each candidate the number of the one test that it fails, from 1; 0 where it passes all. */
function failedTests(candidates: Uint32Array, tests: readonly RowTest[]): Uint8Array {
  const failed = new Uint8Array(candidates.length);
  for (const [nth, { passes }] of tests.entries())
    for (let at = 0; at < candidates.length; at++)
      if (failed[at] !== SEVERAL && !passes(candidates[at]!))
        failed[at] = failed[at] === 0 ? nth + 1 : SEVERAL;
  return failed;
}

function passingRows(candidates: Uint32Array, failed: Uint8Array): Uint32Array {
  let size = 0;
  for (let at = 0; at < candidates.length; at++) if (failed[at] === 0) size++;
  const rows = new Uint32Array(size);
  for (let at = 0, next = 0; at < candidates.length; at++)
    if (failed[at] === 0) rows[next++] = candidates[at]!;
  return rows;
}

function facetTests(columns: RowColumns, { facets }: RowFilter): RowTest[] {
  return facetNames.flatMap((of): RowTest[] => {
    const wanted = facets[of];
    if (!wanted || wanted.length === 0) return [];
    const { kind, words } = columns.words.get(of)!;
    const { values } = columns.facets.get(of)!;
    // A value that no row has is met by none.
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

/** Stands for rows without a value of a facet. */
export const NONE = '(none)';

function countValues(
  columns: RowColumns,
  name: FacetName,
  candidates: Uint32Array,
  failed: Uint8Array,
  ownTest: number,
): FacetCount[] {
  const { kind, words } = columns.words.get(name)!;
  const { values } = columns.facets.get(name)!;
  const counts = new Uint32Array(words.length + 1);
  const add = kind === 'one' ? addOne : addMany;
  add(values, counts, candidates, failed, ownTest);
  return Array.from(counts, (count, code) => ({ value: code === 0 ? NONE : words[code - 1]!, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

type Values = RowColumns['task']['values'];

function addOne(
  values: Values,
  counts: Uint32Array,
  candidates: Uint32Array,
  failed: Uint8Array,
  ownTest: number,
): void {
  for (let at = 0; at < candidates.length; at++)
    if (failed[at] === 0 || failed[at] === ownTest) counts[values[candidates[at]!]!]!++;
}

function addMany(
  values: Values,
  counts: Uint32Array,
  candidates: Uint32Array,
  failed: Uint8Array,
  ownTest: number,
): void {
  for (let at = 0; at < candidates.length; at++) {
    if (failed[at] !== 0 && failed[at] !== ownTest) continue;
    let bits = values[candidates[at]!]!;
    if (bits === 0) counts[0]!++;
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits);
      counts[bit + 1]!++;
      bits = (bits & ~(1 << bit)) >>> 0;
    }
  }
}

function histogramOf(
  columns: RowColumns,
  name: FigureName,
  candidates: Uint32Array,
  failed: Uint8Array,
  ownTest: number,
): Histogram | undefined {
  const { values } = columns.figures.get(name)!;
  const [least, most] = columns.extentOf(name);
  if (!(most > least)) return undefined;
  const width = roundWidth((most - least + 1) / MAX_BINS);
  const from = Math.floor(least / width) * width;
  const counts = new Array<number>(Math.floor((most - from) / width) + 1).fill(0);
  for (let at = 0; at < candidates.length; at++) {
    if (failed[at] !== 0 && failed[at] !== ownTest) continue;
    const value = values[candidates[at]!]!;
    if (value >= least) counts[Math.floor((value - from) / width)]!++;
  }
  return { from, width, counts };
}

/** Rows without the figure come last, either way; equal ones stay in their order. */
function sortedRows(
  columns: RowColumns,
  rows: Uint32Array,
  { by, isDescending }: RowFilter['sort'],
): Uint32Array {
  if (by === 'row') return isDescending ? rows.reverse() : rows;
  const { values } = columns.figures.get(by)!;
  const sign = isDescending ? -1 : 1;
  return rows.sort((a, b) => {
    const [one, other] = [values[a]!, values[b]!];
    if (Number.isNaN(one) || Number.isNaN(other))
      return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return one === other ? 0 : sign * (one < other ? -1 : 1);
  });
}
