import type { JsonObject } from '../../base/json.ts';
import type { RowUnit } from '../../base/rows/openRowFile.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import type { TaskProblem } from '../../schemas/tasks/taskLayout.ts';

/** Where a row of a task file stands. */
export interface RowPlace {
  readonly file: string;
  readonly unit: RowUnit;
  readonly row: number;
}

/** A row that is not a task: where it stands and why. */
export interface BadRow extends RowPlace {
  readonly code: TaskProblem;
  readonly problem: string;
}

/** Bad rows after which no more are looked for. */
export const MAX_BAD_ROWS_NAMED = 20;

/**
 * The error that names bad rows: one line for a problem of a file, with the first row that has it.
 *
 * @param good rows beside them that are tasks; where there is none, leaving out the bad ones would leave nothing
 */
export function badRowsError(bad: readonly BadRow[], good: number): UserError {
  const groups = Map.groupBy(
    bad,
    ({ file, code, problem }) => `${file} ${code === 'unusable' ? problem : code}`,
  );
  const lines = [...groups.values()].map(([first, ...others]) => {
    const { file, unit, row, problem } = first!;
    return `${file} ${unit} ${row}: ${problem}${others.length === 0 ? '' : `, and so in ${others.length} more`}`;
  });
  const more = bad.length >= MAX_BAD_ROWS_NAMED ? `, of which the first ${MAX_BAD_ROWS_NAMED} are named` : '';
  const [row, it] = bad.length === 1 ? ['the row', 'it'] : ['the rows', 'them'];
  const advice = `fix ${row}${more}${good === 0 ? '' : `, or leave ${it} out with --on-bad-task skip`}`;
  return bad.length === 1 ? new UserError(`${lines[0]}; ${advice}`) : new ProblemList(lines, advice);
}

/** What the ledger keeps about a bad row. */
export function badRowEvidence({ file, unit, row, code, problem }: BadRow): JsonObject {
  return { file, [unit]: row, code, problem };
}
