import { UserError } from '../../base/userError.ts';
import { type FacetName, type FigureName, facetTable, figureNames, type RowFacts } from './fields.ts';

type Values = Uint8Array | Uint16Array | Uint32Array | Float32Array;

/** Rows by which a column grows. */
const CHUNK_ROWS = 16_384;
/** Maximum rows; address space is reserved for them, not memory. */
const MAX_ROWS = 2 ** 24;
/** Distinct values of a multi-value facet; further ones share the last bit. */
const MAX_BITS = 32;
const OTHERS = 'others';
/** Distinct values of a single-value facet; further ones share the last code. */
const MAX_CODES = 0xffff;

type ValuesType = (new (buffer: ArrayBuffer) => Values) & { readonly BYTES_PER_ELEMENT: number };

/** Numeric column by row. Grows in place: copying to twice the size would leave freed memory with the allocator. */
class Column {
  values: Values;
  readonly #buffer: ArrayBuffer;
  readonly #create: ValuesType;
  readonly #fill: number;

  constructor(create: ValuesType, fill = 0) {
    this.#buffer = new ArrayBuffer(0, { maxByteLength: MAX_ROWS * create.BYTES_PER_ELEMENT });
    this.values = new create(this.#buffer);
    this.#create = create;
    this.#fill = fill;
  }

  grow(): void {
    const had = this.values.length;
    this.#buffer.resize((had + CHUNK_ROWS) * this.#create.BYTES_PER_ELEMENT);
    this.values = new this.#create(this.#buffer);
    if (this.#fill !== 0) this.values.fill(this.#fill, had);
  }
}

/** Words of a facet; rows store their codes, from 1. */
class FacetWords {
  readonly kind: 'one' | 'many';
  readonly words: string[] = [];
  readonly #codes = new Map<string, number>();

  constructor(kind: 'one' | 'many') {
    this.kind = kind;
  }

  codeOf(word: string): number {
    const known = this.#codes.get(word);
    if (known !== undefined) return known;
    const limit = this.kind === 'many' ? MAX_BITS : MAX_CODES;
    if (this.words.length >= limit - 1 && word !== OTHERS) return this.codeOf(OTHERS);
    this.words.push(word);
    this.#codes.set(word, this.words.length);
    return this.words.length;
  }

  /** Encodes values as a code, or as a bit each. */
  packed(value: string | readonly string[] | undefined): number {
    if (value === undefined) return 0;
    if (typeof value === 'string') return this.kind === 'one' ? this.codeOf(value) : this.#bits([value]);
    return this.#bits(value);
  }

  #bits(values: readonly string[]): number {
    return values.reduce((bits, value) => (bits | (1 << (this.codeOf(value) - 1))) >>> 0, 0);
  }
}

const figureMissing = Number.NaN;
const facetEntries = facetTable.map(({ name, kind }) => [name, kind] as const);

/**
 * Columns for filtering, counting and sorting, in typed arrays of about 60 bytes per row. Counting a million rows takes
 * 0.4 s of processor time, in SQLite 3.3 s.
 */
export class RowColumns {
  size = 0;
  readonly facets: ReadonlyMap<FacetName, Column> = new Map(
    facetEntries.map(([name, kind]) => [name, new Column(kind === 'one' ? Uint16Array : Uint32Array)]),
  );
  readonly figures: ReadonlyMap<FigureName, Column> = new Map(
    figureNames.map((name) => [name, new Column(Float32Array, figureMissing)]),
  );
  readonly words: ReadonlyMap<FacetName, FacetWords> = new Map(
    facetEntries.map(([name, kind]) => [name, new FacetWords(kind)]),
  );
  /** First row of the row's task. */
  readonly task = new Column(Uint32Array);
  /** 0: not in the pass rate, 1: wrong, 2: right. */
  readonly right = new Column(Uint8Array);
  /** Per task, by its first row: rows, rows in the pass rate, and right rows. */
  tries: Readonly<Record<'rows' | 'scored' | 'right', Uint16Array>> = noTries(0);
  /** Cached extents of unchanged figures. */
  readonly #extents = new Map<FigureName, readonly [number, number]>();

  /**
   * Adds a row; returns its number. Throws `UserError` at the maximum number of rows.
   *
   * @param firstOfTask first row of its task; undefined if it is the first
   * @param sample number of the rollout, from 1
   */
  add(firstOfTask: number | undefined, sample = 1): number {
    const row = this.size;
    if (row === MAX_ROWS) throw new UserError(`more than ${MAX_ROWS} records are not shown`);
    if (row === this.task.values.length)
      for (const column of [...this.facets.values(), ...this.figures.values(), this.task, this.right])
        column.grow();
    this.task.values[row] = firstOfTask ?? row;
    this.figures.get('rollout')!.values[row] = sample;
    // Failed rollouts lack both.
    for (const name of ['profile', 'source'] as const) {
      const { values } = this.facets.get(name)!;
      if (firstOfTask !== undefined) values[row] = values[firstOfTask]!;
    }
    this.size++;
    return row;
  }

  /** Sets facts of a row; marks are added to earlier ones. */
  update(row: number, { facets = {}, figures = {}, result }: RowFacts): void {
    for (const [name, value] of Object.entries(facets) as [FacetName, string | readonly string[]][]) {
      const column = this.facets.get(name)!;
      const packed = this.words.get(name)!.packed(value);
      column.values[row] = name === 'mark' ? (column.values[row]! | packed) >>> 0 : packed;
    }
    for (const [name, value] of Object.entries(figures) as [FigureName, number][]) {
      this.figures.get(name)!.values[row] = value ?? figureMissing;
      this.#extents.delete(name);
    }
    if (result !== undefined) this.right.values[row] = ['unscored', 'wrong', 'right'].indexOf(result);
  }

  /** Sorted words of a row's facet; their original order differs between readings. */
  wordsOf(row: number, name: FacetName): string[] {
    const { kind, words } = this.words.get(name)!;
    const value = this.facets.get(name)!.values[row] ?? 0;
    if (kind === 'one') return value === 0 ? [] : [words[value - 1]!];
    return words.filter((_, bit) => (value & (1 << bit)) !== 0).sort();
  }

  figureOf(row: number, name: FigureName): number | undefined {
    const value = this.figures.get(name)!.values[row];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** Minimum and maximum of a figure; the minimum is greater if no row has it. */
  extentOf(name: FigureName): readonly [least: number, most: number] {
    const known = this.#extents.get(name);
    if (known) return known;
    const { values } = this.figures.get(name)!;
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let row = 0; row < this.size; row++) {
      const value = values[row]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    this.#extents.set(name, [least, most]);
    return [least, most];
  }

  /** Sets the pass rate of each task on all its rows. */
  ratePasses(): void {
    const rate = this.figures.get('pass_rate_percent')!;
    this.#extents.delete('pass_rate_percent');
    const { rows, scored, right } = noTries(this.size);
    this.tries = { rows, scored, right };
    for (let row = 0; row < this.size; row++) {
      const of = this.task.values[row]!;
      const result = this.right.values[row]!;
      rows[of]!++;
      if (result > 0) scored[of]!++;
      if (result === 2) right[of]!++;
    }
    for (let row = 0; row < this.size; row++) {
      const of = this.task.values[row]!;
      if (scored[of]! > 0) rate.values[row] = Math.round((100 * right[of]!) / scored[of]!);
    }
  }
}

function noTries(tasks: number): RowColumns['tries'] {
  return { rows: new Uint16Array(tasks), scored: new Uint16Array(tasks), right: new Uint16Array(tasks) };
}
