import { isJsonObject, type JsonObject } from '../json.ts';
import { UserError } from '../userError.ts';
import { columnRows } from './columnRows.ts';
import { fileBytes } from './fileBytes.ts';
import { type Between, type ColumnsRow, type CutRow, type FileRow, parseRow } from './fileRow.ts';
import { JsonCutter } from './jsonCutter.ts';
import { LineCutter, type RowCutter } from './lineCutter.ts';
import { readCsv } from './readCsv.ts';
import { type FoundFormat, type RowFormat, rowFormatOf } from './rowFormat.ts';

/** Unit of row numbers in messages. */
export type RowUnit = 'line' | 'row';

/**
 * A row file, readable from its start any number of times, with one row (or batch of columns) in memory at a time.
 */
export interface RowFile {
  /** Path as given. */
  readonly path: string;
  readonly format: RowFormat;
  /** Bytes on disk. */
  readonly size: number;
  /** True if rows can be copied byte by byte: unpacked JSON. */
  readonly isPlainJson: boolean;
  readonly unit: RowUnit;
  /** Yields the rows. Throws `UserError` if the file as a whole is unreadable or truncated. */
  rows(): AsyncGenerator<FileRow>;
  /** Yields rows as columns: a row that is not an object is a problem. */
  columns(): AsyncGenerator<ColumnsRow>;
  /**
   * Yields the whole file with JSON rows unparsed.
   * @see refuseCutOff for what a file may not end in
   */
  cut(): AsyncGenerator<Between | CutRow | FileRow>;
}

/** Maximum bytes of a row; longer ones are skipped. Far above any dataset's rows, it bounds memory. */
const MAX_ROW_BYTES = 128 * 1024 * 1024;

/**
 * Opens a file of rows: JSON lines, a JSON list, an object with a list under `data`, JSON values one after another or
 * CSV, plain or packed as gzip or Zstandard, parquet, or Arrow.
 *
 * @param maxRowBytes Longer rows of JSON are a problem
 * @throws UserError when it is missing, empty, not a plain file, or not what its ending says
 */
export async function openRowFile(file: string, maxRowBytes = MAX_ROW_BYTES): Promise<RowFile> {
  const found = await rowFormatOf(file);
  const { path, format, size, packing } = found;
  const isJson = format.startsWith('json');
  const unit = format === 'json_lines' || format === 'csv' ? 'line' : 'row';
  const cut = () => (isJson ? jsonPieces(found, maxRowBytes) : otherRows(found));
  const rows = () => parsedRows(file, cut());
  return {
    path,
    format,
    size,
    isPlainJson: isJson && !packing,
    unit,
    cut,
    rows,
    columns: () => columnsOf(rows(), unit),
  };
}

/** Rows of JSON lines from chunks of text; `name` identifies them in messages. */
export function jsonLineRows(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<FileRow> {
  return parsedRows(
    name,
    cutRows(chunks, new LineCutter(MAX_ROW_BYTES), (at) => at),
  );
}

/** Throws the error of a broken last row that ends in the middle of a value. */
export function refuseCutOff(file: string, { row, line, bytes, endsFile }: CutRow): void {
  const cutter = new JsonCutter({ file, maxBytes: bytes.length, list: undefined });
  if (!endsFile || (cutter.push(bytes) && cutter.end().length === 0)) return;
  throw new UserError(
    `${file}: ends in the middle of row ${row}, on line ${line}; the file was cut off, write it again`,
  );
}

/** Parses a row. Throws `UserError` for a broken one that ends its file. */
export function parsedRow(file: string, piece: CutRow | FileRow): FileRow {
  if (!('endsFile' in piece)) return piece;
  const content = parseRow(piece.bytes);
  if ('problem' in content) refuseCutOff(file, piece);
  return { ...piece, ...content };
}

async function* parsedRows(
  file: string,
  pieces: AsyncIterable<Between | CutRow | FileRow>,
): AsyncGenerator<FileRow> {
  for await (const piece of pieces) if (!('between' in piece)) yield parsedRow(file, piece);
}

async function* columnsOf(rows: AsyncIterable<FileRow>, unit: RowUnit): AsyncGenerator<ColumnsRow> {
  for await (const read of rows) {
    const row = (unit === 'line' && read.line) || read.row;
    if ('problem' in read) yield { row, problem: read.problem };
    else
      yield isJsonObject(read.value)
        ? { row, value: read.value }
        : { row, problem: 'expected a JSON object' };
  }
}

async function* otherRows(found: FoundFormat): AsyncGenerator<FileRow> {
  const { path, size, format } = found;
  if (format !== 'csv') return yield* columnRows({ path, size, format: format as 'parquet' | 'arrow' });
  let bytesRead = 0;
  let row = 0;
  const bytes = fileBytes(found, (read) => {
    bytesRead = read;
  });
  for await (const record of readCsv(path, bytes)) yield { row: ++row, bytesRead, ...record };
}

function jsonPieces(found: FoundFormat, maxBytes: number): AsyncGenerator<Between | CutRow | FileRow> {
  const { path: file, format, packing, list } = found;
  let packedBytesRead = 0;
  const chunks = fileBytes(found, (bytes) => {
    packedBytesRead = bytes;
  });
  const cutter =
    format === 'json_lines' ? new LineCutter(maxBytes) : new JsonCutter({ file, maxBytes, list });
  return cutRows(chunks, cutter, (at) => (packing ? packedBytesRead : at));
}

/** @param bytesReadAt bytes of the file that are read where so many bytes of its text are */
async function* cutRows(
  chunks: AsyncIterable<Buffer>,
  cutter: RowCutter,
  bytesReadAt: (at: number) => number,
): AsyncGenerator<Between | CutRow | FileRow> {
  let row = 0;
  let at = 0;
  for await (const pieces of cutPieces(chunks, cutter)) {
    for (const piece of pieces) {
      if ('between' in piece) {
        at += piece.between.length;
        yield piece;
        continue;
      }
      const { bytes, length, line, endsFile } = piece;
      at += length;
      row += 1;
      const bytesRead = bytesReadAt(at);
      if (bytes) yield { row, line, bytesRead, bytes, endsFile };
      else yield { row, line, bytesRead, problem: `the row has ${length} bytes, more than are read of one` };
    }
  }
}

async function* cutPieces(chunks: AsyncIterable<Buffer>, cutter: RowCutter) {
  for await (const chunk of chunks) yield cutter.push(chunk);
  yield cutter.end();
}

/** First rows of files, for detecting the layout and misspelt column names. */
export async function firstRows(
  files: readonly Pick<RowFile, 'columns'>[],
  most: number,
): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  for (const file of files) {
    for await (const read of file.columns()) {
      if ('value' in read) rows.push(read.value);
      if (rows.length === most) return rows;
    }
  }
  return rows;
}
