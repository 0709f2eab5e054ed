import path from 'node:path';
import { linesOf } from '../journal/readLines.ts';
import { UserError } from '../userError.ts';
import { rowBytes } from './rowBytes.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Most bytes of one line: more is no row, but a file of one line, or a bomb. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * The lines of a text file, unpacked where it is packed, without their ends (LF or CRLF) and without a byte order mark,
 * one in memory at a time; undefined for a line that is not UTF-8. Not `readline`: it also ends lines at U+2028, which
 * may stand in JSON. Throws `UserError`.
 */
export async function* textLines(file: string): AsyncGenerator<string | undefined> {
  try {
    for await (const { bytes, number } of linesOf(rowBytes(file), MAX_LINE_BYTES)) {
      const text = decode(bytes)?.replace(/\r$/, '');
      yield number === 1 ? text?.replace(/^\uFEFF/, '') : text;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`${path.basename(file)}: ${error.message}; end each row with a line feed`, {
      cause: error,
    });
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
