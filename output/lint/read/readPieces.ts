import { createReadStream } from 'node:fs';
import { type JsonValue, safeParseJson } from '../../../base/json.ts';
import { readParquetRows } from '../../../base/parquet/readParquetRows.ts';
import { UserError } from '../../../base/userError.ts';
import { createArrayScanner } from './createArrayScanner.ts';
import type { DatasetFileKind } from './detectFormat.ts';
import { createLineScanner } from './filePiece.ts';
import type { FileRow } from './rowText.ts';

/** What lies between rows, to be copied as it is. */
export interface Between {
  readonly kind: 'between';
  readonly bytes: Uint8Array;
}

const chunkBytes = 256 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Everything in a file, in order, one row in memory at a time (a row group at a time for parquet). */
export function readPieces(file: string, format: DatasetFileKind): AsyncGenerator<Between | FileRow> {
  if (format === 'parquet') return readParquet(file);
  const chunks = createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
  return readJsonPieces(chunks, file, format);
}

/** Everything in JSON text that comes in chunks; `file` names it in messages. */
export async function* readJsonPieces(
  chunks: AsyncIterable<Buffer>,
  file: string,
  format: Exclude<DatasetFileKind, 'parquet'>,
): AsyncGenerator<Between | FileRow> {
  const scanner = format === 'json_list' ? createArrayScanner(file) : createLineScanner();
  let row = 0;
  let bytesRead = 0;
  let last: FileRow | undefined;
  for await (const pieces of scanned(chunks, scanner)) {
    for (const piece of pieces) {
      bytesRead += piece.bytes.length;
      if (piece.kind === 'between') {
        last = undefined;
        yield piece;
        continue;
      }
      row += 1;
      last = { ...piece, row, bytesRead, parsed: parseRow(piece.bytes) };
      yield last;
    }
  }
  // A broken line is one row's fault; a broken last one without a line end was cut off.
  if (format === 'json_lines' && last && 'problem' in last.parsed) {
    throw new UserError(
      `${file}: ends in the middle of row ${row}, on line ${last.line}; the file was cut off, write it again`,
    );
  }
}

async function* scanned(chunks: AsyncIterable<Buffer>, scanner: ReturnType<typeof createLineScanner>) {
  for await (const chunk of chunks) yield scanner.push(chunk);
  yield scanner.end();
}

function parseRow(bytes: Uint8Array): FileRow['parsed'] {
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
