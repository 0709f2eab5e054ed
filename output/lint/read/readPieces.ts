import { createReadStream } from 'node:fs';
import { type JsonValue, safeParseJson } from '../../../base/json.ts';
import { readParquetRows } from '../../../base/parquet/readParquetRows.ts';
import { UserError } from '../../../base/userError.ts';
import { createArrayScanner } from './createArrayScanner.ts';
import type { DatasetFileKind } from './detectFormat.ts';
import { createLineScanner } from './filePiece.ts';
import type { FileRow } from './fileRow.ts';

/** What lies between rows, to be copied as it is. */
export interface Between {
  readonly kind: 'between';
  readonly bytes: Uint8Array;
}

type JsonKind = Exclude<DatasetFileKind, 'parquet'>;

const chunkBytes = 256 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Everything in a file, in order, one row in memory at a time (a row group at a time for parquet). */
export function readPieces(file: string, format: DatasetFileKind): AsyncGenerator<Between | FileRow> {
  if (format === 'parquet') return readParquet(file);
  return readJsonPieces(openChunks(file), file, format);
}

/** Everything in JSON text that comes in chunks; `file` names it in messages. */
export async function* readJsonPieces(
  chunks: AsyncIterable<Buffer>,
  file: string,
  format: JsonKind,
): AsyncGenerator<Between | FileRow> {
  let last: FileRow | undefined;
  for await (const piece of cutPieces(chunks, file, format)) {
    last = piece.kind === 'row' ? { ...piece, parsed: parseRow(piece.bytes) } : undefined;
    yield last ?? (piece as Between);
  }
  if (last && 'problem' in last.parsed) refuseCutOff(file, format, last);
}

/** A row of JSON text that is not parsed yet. */
export type CutRow = Omit<FileRow, 'parsed'>;

/**
 * The same of a file, with rows of JSON left for others to parse.
 *
 * @see refuseCutOff for what a file may not end in
 */
export function cutFile(file: string, format: DatasetFileKind): AsyncGenerator<Between | CutRow | FileRow> {
  return format === 'parquet' ? readParquet(file) : cutPieces(openChunks(file), file, format);
}

function openChunks(file: string): AsyncIterable<Buffer> {
  return createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
}

async function* cutPieces(
  chunks: AsyncIterable<Buffer>,
  file: string,
  format: JsonKind,
): AsyncGenerator<Between | CutRow> {
  const scanner = format === 'json_list' ? createArrayScanner(file) : createLineScanner();
  let row = 0;
  let bytesRead = 0;
  for await (const pieces of scanned(chunks, scanner)) {
    for (const piece of pieces) {
      bytesRead += piece.bytes.length;
      if (piece.kind === 'between') yield piece;
      else yield { ...piece, row: ++row, bytesRead };
    }
  }
}

/**
 * A broken line is one row's fault; a broken last one without a line end was cut off.
 *
 * @param broken what the file ends in: nothing follows it, no line end either
 * @throws UserError for a file of lines
 */
export function refuseCutOff(
  file: string,
  format: DatasetFileKind,
  broken: Pick<FileRow, 'row' | 'line'>,
): void {
  if (format !== 'json_lines') return;
  throw new UserError(
    `${file}: ends in the middle of row ${broken.row}, on line ${broken.line}; the file was cut off, write it again`,
  );
}

async function* scanned(chunks: AsyncIterable<Buffer>, scanner: ReturnType<typeof createLineScanner>) {
  for await (const chunk of chunks) yield scanner.push(chunk);
  yield scanner.end();
}

/** The value of a row, or why it has none. */
export function parseRow(bytes: Uint8Array): FileRow['parsed'] {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { problem: 'the row is not UTF-8' };
  }
  const parsed = safeParseJson(text);
  return parsed.ok ? { value: parsed.value } : { problem: `the row is not JSON: ${parsed.error}` };
}

/** Rows of a parquet file, one row group in memory at a time. */
async function* readParquet(file: string): AsyncGenerator<FileRow> {
  for await (const { row, value, bytesRead } of readParquetRows(file)) {
    // Columns are read as they are: only their texts are looked at.
    const parsed = { value: value as JsonValue };
    yield { kind: 'row', row, line: null, bytesRead, bytes: new Uint8Array(), parsed };
  }
}
