import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { linesWithin } from '../journal/readLineBlocks.ts';
import { type JsonValue, safeParseJson } from '../json.ts';
import { sum } from '../sum.ts';
import { UserError } from '../userError.ts';
import { through } from './fileBytes.ts';
import type { RowContent } from './fileRow.ts';

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/** A CSV row and the line on which it ends. */
export type CsvRow = RowContent & { readonly line: number };

/**
 * Rows of a CSV file whose first line names the columns; a cell that is a JSON list of strings is that list, since CSV
 * has none.
 *
 * @param file named in the messages of errors
 * @throws UserError for broken quotes, unusable names of columns, and text that is not UTF-8
 */
export async function* readCsv(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  let columns: readonly string[] | undefined;
  for await (const { record, info } of recordsOf(file, bytes)) {
    if (columns === undefined) columns = columnNames(file, record);
    else yield { line: info.lines, ...rowOf(columns, record) };
  }
}

/** Separators other than a comma. */
const separators = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** Column names of the first line; duplicates are refused because one of the columns would be unread. */
function columnNames(file: string, record: readonly string[]): string[] {
  const names = record.map((name) => name.trim());
  const [only = ''] = names.length === 1 ? names : [];
  const separator = separators.find(([sign]) => only.includes(sign));
  if (separator)
    throw new UserError(
      `${file} line 1: columns are separated by ${separator[1]}, not commas; save it with commas`,
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return names;
  throw new UserError(`${file} line 1: two columns are named "${twice}"; rename or remove one`);
}

async function* recordsOf(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: '\n',
  });
  try {
    yield* through<CsvRecord>(Readable.from(unifiedLines(file, bytes)), parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // After a stray quote row boundaries are unknown: the whole file is broken.
    throw new UserError(`${file}: broken CSV (${error.message}); fix the quotes`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Maximum bytes of one line: more is a one-line file or a bomb. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

const lineFeed = Buffer.from('\n');

/** Strips the byte order mark and converts line ends to LF; csv-parse counts a CRLF inside quotes as two lines. */
async function* unifiedLines(file: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let lines = 0;
  let rest: Buffer[] = [];
  const unified = (block: Buffer): string => {
    const text = decoded(file, block, lines).replaceAll('\r\n', '\n');
    const isFirst = lines === 0;
    lines += text.split('\n').length - 1;
    return isFirst ? text.replace(/^\uFEFF/, '') : text;
  };
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed) + 1;
    if (end > 0) yield unified(Buffer.concat([...rest.splice(0), piece.subarray(0, end)]));
    rest.push(Buffer.from(piece.subarray(end)));
    if (sum(rest.map(({ length }) => length)) > MAX_LINE_BYTES)
      throw new UserError(`${file}: line ${lines + 1} has more than ${MAX_LINE_BYTES} bytes`);
  }
  rest = rest.filter(({ length }) => length > 0);
  if (rest.length > 0) yield unified(Buffer.concat([...rest, lineFeed]));
}

/** Decodes whole lines. Throws `UserError` that names the line with invalid UTF-8. */
function decoded(file: string, block: Buffer, linesBefore: number): string {
  try {
    return utf8.decode(block);
  } catch (cause) {
    let line = linesBefore;
    for (const { from, end } of linesWithin({ bytes: block, offset: 0 })) {
      line += 1;
      if (isUtf8(block.subarray(from, end))) continue;
      throw new UserError(`${file} line ${line}: not UTF-8; save it as UTF-8`, { cause });
    }
    throw cause;
  }
}

function rowOf(columns: readonly string[], cells: readonly string[]): RowContent {
  if (cells.length !== columns.length)
    return { problem: `expected ${columns.length} columns, found ${cells.length}` };
  return { value: Object.fromEntries(columns.map((name, at) => [name, textList(cells[at]!) ?? cells[at]!])) };
}

/**
 * Parses a cell that is a JSON list of strings: `["1"]`, as data sets and CSV files write lists. Undefined for other
 * texts: `[1, 2]` may be an interval, a vector or a set and stays text.
 */
export function textList(text: string): readonly string[] | undefined {
  if (!/^\s*\[\s*"/.test(text)) return undefined;
  const parsed = safeParseJson(text);
  return parsed.ok && isTextList(parsed.value) ? parsed.value : undefined;
}

function isTextList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
