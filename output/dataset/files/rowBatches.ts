import { type Data, makeData, RecordBatch, type Schema, Struct, Table, tableToIPC } from 'apache-arrow';

/** How rows of one kind become the columns of a binary file. */
export interface RowColumns<Row> {
  readonly schema: Schema;
  /** A column for each field of the schema, in its order. */
  columnsOf(rows: readonly Row[]): Data[];
  /** Tokens of a row, by which batches are filled. */
  tokensOf(row: Row): number;
  /** Bytes that a row takes in the columns, by which files are filled. */
  bytesOf(row: Row): number;
}

/** Tokens after which held-back rows are written: a batch then takes some tens of megabytes at most. */
const MAX_BATCH_TOKENS = 1_000_000;

/** Rows after which they are written, however short they are. */
const MAX_BATCH_ROWS = 1_000;

/** Holds rows back until there are enough of them for a batch. */
export class RowBatches<Row> {
  #rows: Row[] = [];
  #tokens = 0;

  /** Takes a row; gives the batch that it completes, if it does. */
  add(row: Row, tokens: number): Row[] | undefined {
    this.#rows.push(row);
    this.#tokens += tokens;
    const full = this.#tokens >= MAX_BATCH_TOKENS || this.#rows.length >= MAX_BATCH_ROWS;
    return full ? this.take() : undefined;
  }

  /** The rows held back, which are the caller's from then on. */
  take(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#tokens = 0;
    return rows;
  }
}

/** Columns of one length as an Arrow IPC stream: the schema, one batch, the end marker. */
export function ipcStream(schema: Schema, length: number, columns: Data[]): Uint8Array {
  const type = new Struct(schema.fields);
  const batch = new RecordBatch(schema, makeData({ type, length, nullCount: 0, children: columns }));
  return tableToIPC(new Table([batch]), 'stream');
}
