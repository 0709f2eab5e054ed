import { Counts } from '../../base/counts.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RowUnit } from '../../base/rows/openRowFile.ts';
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

/** Bad rows after which no more are looked for. */
export const MAX_BAD_ROWS_NAMED = 20;

/** The error that names bad rows: one line for a problem of a file, with the first row that has it. */
export function badRowsError(bad: readonly BadRow[]): UserError {
  const first = new Map(bad.toReversed().map((row) => [`${row.file}\n${row.problem}`, row]));
  const rows = Counts.of(bad.map(({ file, problem }) => `${file}\n${problem}`));
  const lines = [...rows].map(([key, count]) => {
    const { file, unit, row, problem } = first.get(key)!;
    const others = count === 1 ? '' : `, and so in ${count - 1} more`;
    return `${file} ${unit} ${row}: ${problem}${others}`;
  });
  const more = bad.length >= MAX_BAD_ROWS_NAMED ? `, of which the first ${MAX_BAD_ROWS_NAMED} are named` : '';
  const which = bad.length === 1 ? 'the row, or leave it out' : `the rows${more}, or leave them out`;
  const advice = `fix ${which} with --on-bad-task skip`;
  return bad.length === 1 ? new UserError(`${lines[0]}; ${advice}`) : new ProblemList(lines, advice);
}

/** What the ledger keeps about a bad row. */
export function badRowEvidence({ file, unit, row, problem }: BadRow): JsonObject {
  return { file, [unit]: row, problem };
}
