import { type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { repeatedKey, twice } from './repeatedKey.ts';

/** Value of a row, or the reason why it is unreadable. */
export type RowContent = { readonly value: JsonValue } | { readonly problem: string };

/** Position of a row in its file. */
export interface RowPlace {
  /** From 1, without blank lines. */
  readonly row: number;
  /** First line of the row (last line in CSV), from 1; null in parquet and Arrow files. */
  readonly line: number | null;
  /** Bytes of the file up to the end of this row; approximate for packed files and columns. */
  readonly bytesRead: number;
  /** Raw bytes of the row; undefined in files without JSON and for a row that is too long. */
  readonly bytes?: Uint8Array | undefined;
}

export type FileRow = RowPlace & RowContent;

/** A row as an object of columns, or the reason why it is none. */
export type ColumnsRow = {
  /** Number in messages and records: the line in JSON lines and CSV, otherwise the row. */
  readonly row: number;
} & ({ readonly value: JsonObject } | { readonly problem: string });

/** An unparsed row of JSON text. */
export interface CutRow extends RowPlace {
  readonly bytes: Uint8Array;
  /** True if nothing follows, not even a line end. */
  readonly endsFile: boolean;
}

/** Bytes between JSON rows, to be copied unchanged. */
export interface Between {
  readonly between: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON row; integers that a double would change become text. A duplicate key in an object is a problem,
 * because the intended value is unknown.
 */
export function parseRow(bytes: Uint8Array): RowContent {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { problem: 'the row is not UTF-8' };
  }
  try {
    const value = parseExactJson(text);
    const key = repeatedKey(text, value);
    return key === undefined ? { value } : { problem: twice(key) };
  } catch (error) {
    return { problem: `the row is not JSON (${(error as SyntaxError).message})` };
  }
}

/** Minimum digits of a number that may not fit a double; shorter ones take the fast path. */
const LONG = 16;
const longNumber = /\d{16}/;

/** Parses JSON; integers that a double would change become text, to keep all digits. Throws `SyntaxError`. */
export function parseExactJson(text: string): JsonValue {
  return hasLongNumber(text) ? parseJson(text, { reviver: keepDigits }) : parseJson(text);
}

/** Samples every 16th character, which hits any run of that many digits. Rows are long and mostly words. */
function hasLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39 && longNumber.test(text.slice(at - LONG + 1, at + LONG))) return true;
  }
  return false;
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const inexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return inexact ? (context?.source ?? String(value)) : value;
}
