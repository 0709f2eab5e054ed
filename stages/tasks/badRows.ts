import type { JsonObject } from '../../base/json.ts';
import type { RowUnit } from '../../base/rows/rowFile.ts';
import { UserError } from '../../base/userError.ts';

/** A row that is no task: where it stands and why. */
export interface BadRow {
  readonly file: string;
  readonly unit: RowUnit;
  readonly row: number;
  readonly problem: string;
}

/** Bad rows that one message names; more would hide the first. */
export const mostBadRowsNamed = 20;

/** The error that names bad rows, one a line. */
export function badRowsError(bad: readonly BadRow[]): UserError {
  const lines = bad.map(({ file, unit, row, problem }) => `${file} ${unit} ${row}: ${problem}`);
  const more = bad.length >= mostBadRowsNamed ? `\n(stopped looking after ${mostBadRowsNamed})` : '';
  const what = bad.length === 1 ? 'the row' : 'the rows';
  return new UserError(`${lines.join('\n')}${more}; fix ${what}, or leave them out with --on-bad-task skip`);
}

/** What the ledger keeps about a bad row. */
export function badRowEvidence({ file, unit, row, problem }: BadRow): JsonObject {
  return { file, [unit]: row, problem };
}
