import { GrowingColumn } from '../../base/growingColumn.ts';
import type { SourceRow } from './sourceRow.ts';

/** Where a row stood: its number among all rows, and its place in its file. */
export type RowPlace = Pick<SourceRow, 'index' | 'file' | 'row' | 'line'>;

/** The places of rows that are read again, 16 bytes each. */
export class RowPlaces {
  readonly #files: string[] = [];
  /** Four numbers a row: its index, its file, its row and its line there. */
  readonly #cells = new GrowingColumn(Uint32Array);

  add({ index, file, row, line }: RowPlace): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    for (const cell of [index, this.#files.length - 1, row, line ?? 0]) this.#cells.push(cell);
  }

  /** The row that was added as number `nth`, from 0. */
  at(nth: number): RowPlace {
    const [index, file, row, line] = [0, 1, 2, 3].map((column) => this.#cells.at(nth * 4 + column));
    return { index: index!, file: this.#files[file!]!, row: row!, line: line || null };
  }
}
