import { UserError } from '../../../pipeline/contract/errors.ts';
import type { JsonValue } from '../../../schemas/json.ts';
import type { DatasetRow } from './readPieces.ts';

/** Rows of a parquet file, one row group in memory at a time. */
export async function* readParquet(file: string): AsyncGenerator<DatasetRow> {
  // Loaded only where a parquet file is read: the decompressors are half a megabyte.
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  const buffer = await asyncBufferFromFile(file);
  const metadata = await readable(file, () => parquetMetadataAsync(buffer));
  const total = Number(metadata.num_rows);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const range = { rowStart, rowEnd: rowStart + Number(group.num_rows) };
    const rows = await readable(file, () =>
      parquetReadObjects({ file: buffer, metadata, compressors, ...range }),
    );
    for (const [at, value] of rows.entries()) {
      const row = range.rowStart + at + 1;
      // Columns are read as they are: only their texts are looked at.
      const parsed = { value: value as JsonValue };
      const bytesRead = Math.round((buffer.byteLength * row) / total);
      yield { kind: 'row', row, line: null, bytesRead, bytes: new Uint8Array(), parsed };
    }
    rowStart = range.rowEnd;
  }
}

async function readable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(`${file}: not a readable parquet file (${why}); write it again`, { cause });
  }
}
