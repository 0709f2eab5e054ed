import { brotliDecompressSync, unzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parseJson } from '../json.ts';
import { assertSoundGroup } from './assertSoundGroup.ts';

/** A column of JSON comes from outside like any other. */
const parsers = {
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && parseJson(Buffer.from(bytes).toString('utf8')),
};
/** Unpacked size of the rows that are sent together. */
const batchBytes = 1_000_000;
const MAX_ROWS = 1_000;

/** Rows of a parquet file, one row group in memory at a time. Throws `Error` for damage. */
export async function* rowBatches(
  file: AsyncBuffer,
  metadata: FileMetaData,
): AsyncGenerator<Record<string, unknown>[]> {
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    await assertSoundGroup(file, metadata, group);
    const rowEnd = rowStart + Number(group.num_rows);
    const range = { rowStart, rowEnd };
    const rows = await parquetReadObjects({
      file,
      metadata,
      parsers,
      compressors: pageDecompressors,
      ...range,
    });
    assertWhole(rows, parquetSchema(metadata));
    const size = rowsInBatch(group);
    for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
    rowStart = rowEnd;
  }
}

/** A null is `null` in a flat column; nothing at all stands for a value that the dictionary lacks. */
function assertWhole(rows: readonly Record<string, unknown>[], { children }: SchemaTree): void {
  const flat = children.filter((column) => column.children.length === 0).map(({ element }) => element.name);
  for (const row of rows) {
    const name = flat.find((column) => row[column] === undefined);
    if (name !== undefined) throw new Error(`column ${name} lacks values that its rows point to`);
  }
}

function rowsInBatch({ columns, num_rows }: RowGroup): number {
  const bytes = columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_uncompressed_size), 0);
  const rows = Math.round((batchBytes * Number(num_rows)) / bytes);
  return rows >= 1 ? Math.min(rows, MAX_ROWS) : 1;
}

type Decompress = (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Node's own where it has them: they are fast, and stop at the length that the page's header states. */
const decompressors = {
  ...compressors,
  GZIP: upToLength(unzipSync),
  BROTLI: upToLength(brotliDecompressSync),
  ZSTD: upToLength(zstdDecompressSync),
};

/** What unpacks the pages of a parquet file, by codec. */
const pageDecompressors: Compressors = Object.fromEntries(
  Object.entries(decompressors).map(([codec, decompress]) => [codec, unlessEmpty(decompress)]),
);

function upToLength(decompress: Decompress) {
  return (input: Uint8Array, maxOutputLength: number) => decompress(input, { maxOutputLength });
}

/** Those of LZ4 fail at an empty page. */
function unlessEmpty(decompress: (input: Uint8Array, length: number) => Uint8Array) {
  return (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(input, length));
}
