import type { JsonValue } from '../../../base/json.ts';
import { readParquetRows } from '../../../base/parquet/readParquetRows.ts';
import type { FileRow } from './datasetRow.ts';

/** Rows of a parquet file, one row group in memory at a time. */
export async function* readParquet(file: string): AsyncGenerator<FileRow> {
  for await (const { row, value, bytesRead } of readParquetRows(file)) {
    // Columns are read as they are: only their texts are looked at.
    const parsed = { value: value as JsonValue };
    yield { kind: 'row', row, line: null, bytesRead, bytes: new Uint8Array(), parsed };
  }
}
