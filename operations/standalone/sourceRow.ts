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

/** A row of one of the files that a standalone command reads. */
export type SourceRow = FileRow & {
  /** Place among all rows of all files, from 0. */
  readonly index: number;
  /** Path as the user gave it; `standard input` for a pipe. */
  readonly file: string;
  /** What it says, or why nobody can tell. */
  readonly said: DatasetRow | RowProblem;
};

/** What a row says; rows of ids with their text. */
export async function whatRowSays(row: RowContent, decode: DecodeIds): Promise<SourceRow['said']> {
  if ('problem' in row) return { path: '', code: 'not_json', problem: row.problem };
  const read = readDatasetRow(row.value);
  return isProblem(read) ? read : withTokenText(read, decode);
}

/** Where a row stands, for messages: `sft.jsonl line 12 (row 12)`. */
function rowPlace({ file, row, line }: Pick<SourceRow, 'file' | 'row' | 'line'>): string {
  return line === null ? `${file} row ${row}` : `${file} line ${line} (row ${row})`;
}

/** Thrown for a row that is not what a command works on: no JSON, or none of the layouts that it knows. */
export class BadRow extends Error {
  override readonly name = 'BadRow';

  /** What is wrong with a row, for a user who wants every row to be right. */
  asUserError(row: SourceRow): UserError {
    return new UserError(
      `${rowPlace(row)}: ${this.message}; fix the row, or leave such rows out with --on-bad-row drop`,
      { cause: this },
    );
  }
}

/** Names a row in the ledger. */
export interface RowIdentity {
  /** The row's own id, or the hash of what it holds. */
  readonly id: string;
  /** The task that it comes from; its own id where it names none. */
  readonly task_id: string;
}

/** The id of a row that names none: a hash of what stands in it, so that it does not depend on the row's place. */
export function rowId(row: RowContent & Pick<SourceRow, 'bytes'>): string {
  if (row.bytes) return contentId('row', sha256Hex(row.bytes));
  return contentId('row', 'value' in row ? row.value : row.problem);
}

/** What the ledger calls a row: its own `id` and `task_id` where it has them. */
export function rowIdentity(row: SourceRow): RowIdentity {
  const value = 'value' in row && isJsonObject(row.value) ? row.value : {};
  const id = textOf(value.id) ?? rowId(row);
  return { id, task_id: textOf(value.task_id) ?? id };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A row's columns. Throws `BadRow` for a row that is not a JSON object. */
export function rowValue(row: SourceRow): JsonObject {
  if ('problem' in row) throw new BadRow(row.problem);
  if (isJsonObject(row.value)) return row.value;
  throw new BadRow('expected an object of columns');
}

/**
 * What a row says.
 *
 * @throws BadRow for one that can't be read, or has not what the command needs
 */
export function rowSaid({ said }: Pick<SourceRow, 'said'>, need: RowNeed): DatasetRow {
  if (isProblem(said)) throw new BadRow(problemText(said));
  const problem = unfitFor(need, said);
  if (problem) throw new BadRow(problemText(problem));
  return said;
}

export interface QuestionOptions {
  /** Dots reach into objects; undefined: by the row's layout. */
  readonly column: string | undefined;
  /** Those whose prompts are known, so that only the question behind them counts. */
  readonly profiles: readonly Profile[];
}

/** What a row asks. Throws `BadRow` where nothing says it. */
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

/** Characters of a text that is compared with others: comparing takes some 25 bytes of memory for each. */
const MAX_COMPARED_CHARACTERS = 10_000_000;

/**
 * The text itself.
 *
 * @param what it is, for messages
 * @throws BadRow for one that is too long to compare
 */
export function boundedText(text: string, what: string): string {
  if (text.length <= MAX_COMPARED_CHARACTERS) return text;
  throw new BadRow(`${what}: expected at most ${MAX_COMPARED_CHARACTERS} characters, found ${text.length}`);
}

/**
 * The number in a column; undefined where the column holds something else, which then belongs to something else.
 *
 * @throws BadRow for a number out of range
 */
export function numberIn(value: JsonObject, column: string, least: number, most: number): number | undefined {
  const found = value[column];
  if (typeof found !== 'number') return undefined;
  if (found >= least && found <= most) return found;
  throw new BadRow(`${column}: expected a number from ${least} to ${most}, got ${found}`);
}

/** How good a row is by its own column `quality`, any finite number; 0 where it has none. */
export function qualityColumn(value: JsonObject): number {
  return numberIn(value, 'quality', -Number.MAX_VALUE, Number.MAX_VALUE) ?? 0;
}
