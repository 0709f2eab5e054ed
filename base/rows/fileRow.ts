import { type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { repeatedKey, twice } from './repeatedKey.ts';

/** What a row says, or why it could not be read. */
export type RowContent = { readonly value: JsonValue } | { readonly problem: string };

/** Where a row stands in its file. */
export interface RowPlace {
  /** From 1; blank lines are not counted. */
  readonly row: number;
  /** Line on which the row begins (in CSV, on which it ends), from 1; null in parquet and Arrow files. */
  readonly line: number | null;
  /** Bytes of the file up to the end of this row; of packed files and columns about as many. */
  readonly bytesRead: number;
  /** The row as it stands in the file; undefined in files that hold no JSON, and for a row that is too long. */
  readonly bytes?: Uint8Array | undefined;
}

/** A row of a file. */
export type FileRow = RowPlace & RowContent;

/** A row as an object of columns, or why it is none. */
export type ColumnsRow = {
  /** What messages and records name it by: its line in JSON lines and CSV, else its number. */
  readonly row: number;
} & ({ readonly value: JsonObject } | { readonly problem: string });

/** A row of JSON text that is not parsed yet. */
export interface CutRow extends RowPlace {
  readonly bytes: Uint8Array;
  /** Whether nothing follows it, no line end either. */
  readonly endsFile: boolean;
}

/** What lies between rows of JSON, to be copied as it is. */
export interface Between {
  readonly between: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What a row of JSON says; integers that a double would change are given as text. A row with a key twice in one object
 * is a problem: nobody can tell which value was meant.
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

/** Numbers this long may not fit a double; shorter ones do, and the slow way is not needed. */
const LONG = 16;
const longNumber = /\d{16}/;

/**
 * Parses JSON; integers that a double would change are given as text, so that they keep all their digits.
 * Throws `SyntaxError`.
 */
export function parseExactJson(text: string): JsonValue {
  return hasLongNumber(text) ? parseJson(text, { reviver: keepDigits }) : parseJson(text);
}

/** Looks at every 16th character: of so many digits in a row one stands there. Rows are long, and mostly words. */
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
