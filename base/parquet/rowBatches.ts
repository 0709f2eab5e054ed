import { brotliDecompressSync, crc32, unzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import { compressors } from 'hyparquet-compressors';
import { parseJson } from '../json.ts';

/** Parsers for JSON columns, which are untrusted like any other input. */
const parsers = {
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && parseJson(Buffer.from(bytes).toString('utf8')),
};
/** Unpacked bytes of rows sent together. */
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

/** Requires every value: a null is `null` in a flat column, while a value missing in the dictionary is absent. */
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

/** Node's own decompressors where available: they are fast and stop at the length in the page's header. */
const decompressors = {
  ...compressors,
  GZIP: upToLength(unzipSync),
  BROTLI: upToLength(brotliDecompressSync),
  ZSTD: upToLength(zstdDecompressSync),
};

/** Decompressors of parquet pages by codec. */
const pageDecompressors: Compressors = Object.fromEntries(
  Object.entries(decompressors).map(([codec, decompress]) => [codec, unlessEmpty(decompress)]),
);

function upToLength(decompress: Decompress) {
  return (input: Uint8Array, maxOutputLength: number) => decompress(input, { maxOutputLength });
}

/** Handles empty pages, at which the LZ4 decompressors fail. */
function unlessEmpty(decompress: (input: Uint8Array, length: number) => Uint8Array) {
  return (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(input, length));
}

/** Maximum values per page. Writers stop at a megabyte or some ten thousand rows. */
const MAX_VALUES_IN_PAGE = 2 ** 24;
const MIN_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Maximum compression ratio of a page; small pages may exceed it. */
const MAX_COMPRESSION = 100;

/**
 * Compares the counts in a row group's headers with the available bytes before allocating by them.
 * @throws Error that names the column
 */
async function assertSoundGroup(file: AsyncBuffer, metadata: FileMetaData, group: RowGroup): Promise<void> {
  const schema = parquetSchema(metadata);
  for (const { meta_data: column } of group.columns) {
    if (!column) throw new Error('a column has no description');
    const name = column.path_in_schema.join('.');
    const values = valuesIn(await chunkOf(file, column, name), name);
    const isFlat = isFlatColumn(getTreePath(schema, column.path_in_schema));
    const rows = Number(group.num_rows);
    if (isFlat ? values !== rows : values < rows) {
      throw new Error(`column ${name} has ${values} values for ${rows} rows`);
    }
  }
}

/** Bytes of a column in a row group. */
async function chunkOf(
  file: AsyncBuffer,
  column: ColumnMetaData,
  name: string,
): Promise<DataView<ArrayBuffer>> {
  const from = Number(column.dictionary_page_offset || column.data_page_offset);
  const to = from + Number(column.total_compressed_size);
  if (from >= 0 && from <= to && to <= file.byteLength) return new DataView(await file.slice(from, to));
  throw new Error(`column ${name} lies at bytes ${from} to ${to} of a file of ${file.byteLength}`);
}

/** Number of values declared by the pages of a column. */
function valuesIn(view: DataView<ArrayBuffer>, name: string): number {
  const reader = { view, offset: 0 };
  let values = 0;
  while (reader.offset < view.byteLength - 1) {
    const page = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = page;
    const counted = page.data_page_header ?? page.data_page_header_v2;
    const count = (counted ?? page.dictionary_page_header)?.num_values ?? 0;
    const isSound =
      isBetween(packed, view.byteLength - reader.offset) &&
      isBetween(unpacked, MIN_UNPACKED_BYTES + MAX_COMPRESSION * packed) &&
      isBetween(count, MAX_VALUES_IN_PAGE);
    if (!isSound) {
      throw new Error(
        `column ${name} has a page of ${packed} bytes that states ${unpacked} bytes, ${count} values`,
      );
    }
    if (
      page.crc !== undefined &&
      crc32(new Uint8Array(view.buffer, reader.offset, packed)) !== page.crc >>> 0
    ) {
      throw new Error(`column ${name} has a page that is not as it was written: its checksum differs`);
    }
    if (counted) values += count;
    reader.offset += packed;
  }
  return values;
}

function isBetween(count: number, most: number): boolean {
  return count >= 0 && count <= most;
}
