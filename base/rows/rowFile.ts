import type { JsonObject } from '../json.ts';

/** A row of a file: its columns, or why it could not be read. */
export type FileRow = {
  /** Line number (JSONL, CSV) or row number (JSON, parquet), from 1. */
  readonly row: number;
} & ({ readonly value: JsonObject } | { readonly problem: string });

/** What a file's rows are counted in: for messages. */
export type RowUnit = 'line' | 'row';

/** A file of rows that is open for reading, from its start, as often as asked. */
export interface RowFile {
  readonly unit: RowUnit;
  /** Throws `UserError` when the file as a whole can't be read. */
  rows(): AsyncIterable<FileRow>;
}
