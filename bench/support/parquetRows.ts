import { readFileSync } from 'node:fs';
import { Int8, Int32, tableFromIPC } from 'apache-arrow';
import { type RowColumns, textColumn, tokenColumn } from '../../output/dataset/files/columns.ts';

/** A row of the measurement: text, ids and a mask as long as the ids. */
export interface ParquetRow {
  readonly text: string;
  readonly inputIds: Int32Array;
  readonly lossMask: Int8Array;
}

export const parquetRowColumns: RowColumns<ParquetRow> = {
  columns: [
    textColumn('text', ({ text }) => text),
    tokenColumn('input_ids', new Int32(), ({ inputIds }) => inputIds),
    tokenColumn<ParquetRow>('loss_mask', new Int8(), ({ lossMask }) => lossMask),
  ],
  tokensOf: ({ inputIds }) => inputIds.length,
};

/** The rows of an Arrow IPC stream, as the dataset writer has them: strings and typed arrays, one by one. */
export function readParquetRows(file: string): ParquetRow[] {
  const table = tableFromIPC(readFileSync(file));
  return table.toArray().map((row) => ({
    text: row.text as string,
    inputIds: Int32Array.from(row.input_ids),
    lossMask: Int8Array.from(row.loss_mask),
  }));
}
