import { crc32 } from 'node:zlib';
import {
  type AsyncBuffer,
  type ColumnMetaData,
  type FileMetaData,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';

/** More than writers put into a page: they stop at a megabyte, or at some ten thousand rows. */
const MAX_VALUES_IN_PAGE = 2 ** 24;
const MIN_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Small pages may shrink more. */
const MAX_COMPRESSION = 100;

/**
 * Compares the counts in the headers of a row group with the bytes that are there, before anything is allocated by
 * them.
 *
 * @throws Error that names the column
 */
export async function assertSoundGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  group: RowGroup,
): Promise<void> {
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

/** The bytes of a column in a row group. */
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

/** How many values the pages of a column say that they have. */
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
