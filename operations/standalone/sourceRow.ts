import { contentId, sha256Hex } from '../../base/ids.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { FileRow, RowContent } from '../../base/rows/fileRow.ts';
import { UserError } from '../../base/userError.ts';
import type { DecodeIds } from '../../output/tokenizers/decodeIds.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { valueAt } from '../../schemas/columnPath.ts';
import { type RowNeed, readDatasetRow, unfitFor } from '../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem, problemText, type RowProblem } from '../../schemas/rows/datasetRow.ts';
import { questionOf } from '../../schemas/rows/rowQuestion.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';

/** Row of an input file of a standalone command. */
export type SourceRow = FileRow & {
  /** Index among all rows of all files, from 0. */
  readonly index: number;
  /** Path as given by the user; `standard input` for a pipe. */
  readonly file: string;
  /** Parsed content, or the problem. */
  readonly said: DatasetRow | RowProblem;
};

/** Parses a row; decodes rows of ids. */
export async function whatRowSays(row: RowContent, decode: DecodeIds): Promise<SourceRow['said']> {
  if ('problem' in row) return { path: '', code: 'not_json', problem: row.problem };
  const read = readDatasetRow(row.value);
  return isProblem(read) ? read : withTokenText(read, decode);
}

/** Position of a row for messages: `sft.jsonl line 12 (row 12)`. */
function rowPlace({ file, row, line }: Pick<SourceRow, 'file' | 'row' | 'line'>): string {
  return line === null ? `${file} row ${row}` : `${file} line ${line} (row ${row})`;
}

/** Thrown for a row that a command does not support: no JSON, or an unknown layout. */
export class BadRow extends Error {
  override readonly name = 'BadRow';

  /** Error for a user who requires every row to be valid. */
  asUserError(row: SourceRow): UserError {
    return new UserError(
      `${rowPlace(row)}: ${this.message}; fix the row, or leave such rows out with --on-bad-row drop`,
      { cause: this },
    );
  }
}

export interface RowIdentity {
  /** The row's own id, or its content hash. */
  readonly id: string;
  readonly task_id: string;
}

/** Id of a row without one: a content hash, independent of its position. */
export function rowId(row: RowContent & Pick<SourceRow, 'bytes'>): string {
  if (row.bytes) return contentId('row', sha256Hex(row.bytes));
  return contentId('row', 'value' in row ? row.value : row.problem);
}

/** Id and task id for the ledger, from the row if it has them. */
export function rowIdentity(row: SourceRow): RowIdentity {
  const value = 'value' in row && isJsonObject(row.value) ? row.value : {};
  const id = textOf(value.id) ?? rowId(row);
  return { id, task_id: textOf(value.task_id) ?? id };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Columns of a row. Throws `BadRow` unless it is a JSON object. */
export function rowValue(row: SourceRow): JsonObject {
  if ('problem' in row) throw new BadRow(row.problem);
  if (isJsonObject(row.value)) return row.value;
  throw new BadRow('expected an object of columns');
}

/**
 * Parsed content of a row.
 *
 * @throws BadRow for an unreadable one, or one without a required field
 */
export function rowSaid({ said }: Pick<SourceRow, 'said'>, need: RowNeed): DatasetRow {
  if (isProblem(said)) throw new BadRow(problemText(said));
  const problem = unfitFor(need, said);
  if (problem) throw new BadRow(problemText(problem));
  return said;
}

export interface QuestionOptions {
  /** Dots separate nested keys; undefined: by the row's layout. */
  readonly column: string | undefined;
  /** Profiles whose prompts are removed from the question. */
  readonly profiles: readonly Profile[];
}

/** Question of a row. Throws `BadRow` without one. */
export function rowQuestion(row: SourceRow, { column, profiles }: QuestionOptions): string {
  if (column !== undefined) return textIn(rowValue(row), column);
  rowValue(row);
  const question = questionOf(rowSaid(row, 'question'), profiles);
  if (question !== null) return boundedText(question, 'question');
  throw new BadRow('no question: nothing stands in the turn of the user; name a column with --column');
}

function textIn(value: JsonObject, column: string): string {
  const found = valueAt(value, column);
  if (typeof found === 'string' && found.trim() !== '') return boundedText(found, column);
  throw new BadRow(
    `${column}: expected a text, found ${JSON.stringify(found)?.slice(0, 60) ?? 'no such column'}`,
  );
}

/** Maximum characters of a compared text; comparing takes about 25 bytes of memory per character. */
const MAX_COMPARED_CHARACTERS = 10_000_000;

/**
 * Returns the text after checking its length.
 *
 * @param what its name for messages
 * @throws BadRow if it is too long to compare
 */
export function boundedText(text: string, what: string): string {
  if (text.length <= MAX_COMPARED_CHARACTERS) return text;
  throw new BadRow(`${what}: expected at most ${MAX_COMPARED_CHARACTERS} characters, found ${text.length}`);
}

/**
 * Number in a column; undefined for other values, which have another meaning.
 *
 * @throws BadRow for a number out of range
 */
export function numberIn(value: JsonObject, column: string, least: number, most: number): number | undefined {
  const found = value[column];
  if (typeof found !== 'number') return undefined;
  if (found >= least && found <= most) return found;
  throw new BadRow(`${column}: expected a number from ${least} to ${most}, got ${found}`);
}

/** Quality from a row's column `quality`, any finite number; 0 without one. */
export function qualityColumn(value: JsonObject): number {
  return numberIn(value, 'quality', -Number.MAX_VALUE, Number.MAX_VALUE) ?? 0;
}
