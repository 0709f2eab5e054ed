import path from 'node:path';
import { UserError } from '../../pipeline/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../schemas/json.ts';
import type { TaskRow } from './taskRow.ts';

/** Rows of a parquet file, one row group in memory at a time. */
export async function* readParquet(file: string): AsyncGenerator<TaskRow> {
  // Loaded only where a parquet file is read: the decompressors are half a megabyte.
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  const buffer = await asyncBufferFromFile(file);
  const metadata = await readable(file, () => parquetMetadataAsync(buffer));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const start = rowStart;
    const rows = await readable(file, () =>
      parquetReadObjects({ file: buffer, metadata, compressors, rowStart: start, rowEnd }),
    );
    for (const [at, row] of rows.entries())
      yield { row: start + at + 1, value: jsonValue(row) as JsonObject };
    rowStart = rowEnd;
  }
}

async function readable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(`${path.basename(file)}: not a readable parquet file (${why}); write it again`, {
      cause: error,
    });
  }
}

/** A cell as JSON: 64-bit integers that a double can't hold and dates become text, bytes become base64. */
function jsonValue(value: unknown): JsonValue {
  if (typeof value === 'bigint') {
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
      ? Number(value)
      : `${value}`;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(jsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, cell]) => [key, jsonValue(cell)]));
}
