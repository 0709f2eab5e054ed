import type { JsonValue } from '../../../base/json.ts';

/** A row of a dataset file as read, or why it could not be. */
export interface FileRow {
  readonly kind: 'row';
  /** From 1. */
  readonly row: number;
  /** Line on which the row begins, from 1; null in parquet files. */
  readonly line: number | null;
  /** Bytes of the file up to the end of this row. */
  readonly bytesRead: number;
  /** The row as it stands in the file; empty in parquet files. */
  readonly bytes: Uint8Array;
  readonly parsed: { readonly value: JsonValue } | { readonly problem: string };
}
