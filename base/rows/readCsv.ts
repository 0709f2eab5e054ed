import path from 'node:path';
import { Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { type JsonValue, safeParseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import type { FileRow } from './rowFile.ts';
import { textLines } from './textLines.ts';
import { through } from './through.ts';

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Rows of a CSV file whose first line names the columns; a cell that is a JSON list of strings is that list, since CSV
 * has none. `row` is the line on which the record ends.
 */
export async function* readCsv(file: string): AsyncGenerator<FileRow> {
  let columns: readonly string[] | undefined;
  for await (const { record, info } of recordsOf(file)) {
    if (columns === undefined) columns = columnNames(file, record);
    else yield rowOf(columns, record, info.lines);
  }
}

/** What else is taken for a comma. */
const separators = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** The first line's names; two columns of one name would leave one of them unread. */
function columnNames(file: string, record: readonly string[]): string[] {
  const names = record.map((name) => name.trim());
  const [only = ''] = names.length === 1 ? names : [];
  const separator = separators.find(([sign]) => only.includes(sign));
  if (separator)
    throw new UserError(
      `${path.basename(file)} line 1: columns are separated by ${separator[1]}, not commas; save it with commas`,
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return names;
  throw new UserError(
    `${path.basename(file)} line 1: two columns are named "${twice}"; rename or remove one`,
  );
}

async function* recordsOf(file: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: '\n',
  });
  try {
    yield* through<CsvRecord>(Readable.from(unifiedLines(file)), parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // After a stray quote nobody can say where rows begin: the file is broken, not one row.
    throw new UserError(`${path.basename(file)}: broken CSV (${error.message}); fix the quotes`);
  }
}

/** LF alone, or csv-parse counts a CRLF inside quotes as two lines. */
async function* unifiedLines(file: string): AsyncGenerator<string> {
  let line = 0;
  for await (const text of textLines(file)) {
    line += 1;
    if (text === undefined)
      throw new UserError(`${path.basename(file)} line ${line}: not UTF-8; save it as UTF-8`);
    yield `${text}\n`;
  }
}

function rowOf(columns: readonly string[], cells: readonly string[], line: number): FileRow {
  if (cells.length !== columns.length) {
    return { row: line, problem: `expected ${columns.length} columns, found ${cells.length}` };
  }
  return {
    row: line,
    value: Object.fromEntries(columns.map((name, at) => [name, textList(cells[at]!) ?? cells[at]!])),
  };
}

/**
 * The list that a text is when it reads as a JSON list of strings: `["1"]`, as data sets and CSV files write lists.
 * Undefined for any other text: `[1, 2]` may be an interval, a vector or a set, and stays as it is.
 */
export function textList(text: string): readonly string[] | undefined {
  if (!/^\s*\[\s*"/.test(text)) return undefined;
  const parsed = safeParseJson(text);
  return parsed.ok && isTextList(parsed.value) ? parsed.value : undefined;
}

function isTextList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
