import { grown } from '../../base/grown.ts';
import type { SourceRow } from './sourceRow.ts';

/** Where a row stood: its number among all rows, and its place in its file. */
export type RowPlace = Pick<SourceRow, 'index' | 'file' | 'row' | 'line'>;

const COLUMNS = 4;

/** The places of rows that are read again, 16 bytes each. */
export class RowPlaces {
  readonly #files: string[] = [];
  #cells = new Uint32Array(COLUMNS * 256);
  #size = 0;

  /** Rows held. */
  get size(): number {
    return this.#size;
  }

  add({ index, file, row, line }: RowPlace): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    const start = this.#size++ * COLUMNS;
    this.#cells = grown(this.#cells, start + COLUMNS);
    this.#cells.set([index, this.#files.length - 1, row, line ?? 0], start);
  }

  /** The row that was added as number `nth`, from 0. */
  at(nth: number): RowPlace {
    const [index, file, row, line] = this.#cells.subarray(nth * COLUMNS, (nth + 1) * COLUMNS);
    return { index: index!, file: this.#files[file!]!, row: row!, line: line || null };
  }
}
