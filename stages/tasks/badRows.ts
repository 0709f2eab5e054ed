import type { JsonObject } from '../../base/json.ts';
import type { RowUnit } from '../../base/rows/rowFile.ts';
import { ProblemList, UserError } from '../../base/userError.ts';

/** Where a row of a task file stands. */
export interface RowPlace {
  readonly file: string;
  readonly unit: RowUnit;
  readonly row: number;
}

/** A row that is no task: where it stands and why. */
export interface BadRow extends RowPlace {
  readonly problem: string;
}

/** Bad rows that one message names; more would hide the first. */
export const MAX_BAD_ROWS_NAMED = 20;

/** The error that names bad rows, one a line. */
export function badRowsError(bad: readonly BadRow[]): UserError {
  const lines = bad.map(({ file, unit, row, problem }) => `${file} ${unit} ${row}: ${problem}`);
  const more = bad.length >= MAX_BAD_ROWS_NAMED ? `, of which the first ${MAX_BAD_ROWS_NAMED} are named` : '';
  const which = bad.length === 1 ? 'the row, or leave it out' : `the rows${more}, or leave them out`;
  const advice = `fix ${which} with --on-bad-task skip`;
  return bad.length === 1 ? new UserError(`${lines[0]}; ${advice}`) : new ProblemList(lines, advice);
}

/** What the ledger keeps about a bad row. */
export function badRowEvidence({ file, unit, row, problem }: BadRow): JsonObject {
  return { file, [unit]: row, problem };
}
