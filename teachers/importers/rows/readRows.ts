import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { type JsonValue, safeParseJson } from '../../../base/json.ts';
import { UserError } from '../../../base/userError.ts';
import { RowBuffer, type RowBytes, splitJsonValues } from './splitJsonValues.ts';

/** Bytes of one row above which it is passed over: no row of a data set comes near, and memory stays bounded. */
export const MAX_ROW_BYTES = 128 * 1024 * 1024;

/** One row of a file, or what kept it from being read. */
export type ReadRow =
  | { readonly ok: true; readonly number: number; readonly value: JsonValue }
  | { readonly ok: false; readonly number: number; readonly error: string };

/**
 * The rows of a file, one at a time, numbered from 1: one a line in `.jsonl` and `.ndjson`, otherwise the elements of
 * one JSON array, or JSON values one after another.
 *
 * @throws UserError when the file can't be read or is no text
 */
export async function* readRows(path: string, maxBytes = MAX_ROW_BYTES): AsyncGenerator<ReadRow> {
  const split = /^\.(jsonl|ndjson)$/i.test(extname(path)) ? splitLines : splitJsonValues;
  let number = 0;
  for await (const bytes of split(textChunks(path), maxBytes)) {
    number++;
    yield parseBytes(bytes, number, maxBytes);
  }
}

function parseBytes(bytes: RowBytes, number: number, maxBytes: number): ReadRow {
  if (!bytes) return { ok: false, number, error: `the row is longer than ${maxBytes} bytes` };
  const parsed = safeParseJson(bytes.toString('utf8'));
  return parsed.ok
    ? { ok: true, number, value: parsed.value }
    : { ok: false, number, error: `not JSON: ${parsed.error}` };
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function* textChunks(path: string): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      if (first && chunk.includes(0)) {
        throw new UserError(`${path}: not a text file (it holds NUL bytes); expected JSON or JSONL`);
      }
      yield first && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk;
      first = false;
    }
  } catch (error) {
    throw explainReadError(error, path);
  }
}

function explainReadError(error: unknown, path: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'ENOENT')
    return new UserError(`${path}: no such file; name the files to import`, { cause: error });
  if (code === 'EISDIR') return new UserError(`${path}: is a folder; name the files in it`, { cause: error });
  return code === undefined ? error : new UserError(`${path}: cannot be read (${code})`, { cause: error });
}

const LINE_FEED = 0x0a;

/** The lines that hold more than white space. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<RowBytes> {
  const line = new RowBuffer(maxBytes);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end));
      yield* unlessBlank(line.take());
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  yield* unlessBlank(line.take());
}

function unlessBlank(row: RowBytes): RowBytes[] {
  return row && row.toString('latin1').trim() === '' ? [] : [row];
}
