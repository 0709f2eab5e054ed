import { openRowFile } from '../../base/rows/openRowFile.ts';
import { UserError } from '../../base/userError.ts';
import { type CalibrationRow, calibrationRowSchema } from '../../schemas/judgeCalibration.ts';

/** A labelled answer and where it stands. */
export interface LabelledAnswer {
  /** From 1. */
  readonly line: number;
  readonly row: CalibrationRow;
}

const expected: Readonly<Record<string, string>> = {
  question: 'a string',
  answers: 'a string, or a list of at least one',
  prediction: 'a string',
  correct: 'true or false',
  domain: 'qa or math',
};

/**
 * The rows of a calibration file, one in memory at a time.
 *
 * @throws UserError when the file is not there, at the first bad row, and when there is none
 */
export async function* readCalibrationRows(
  file: string,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<LabelledAnswer> {
  let rows = 0;
  for await (const { row: line, ...read } of (await openRowFile(file)).columns()) {
    if (rows === limit) return;
    if ('problem' in read) throw new UserError(`${file}:${line}: ${read.problem}; fix the line or remove it`);
    const parsed = calibrationRowSchema.safeParse(read.value);
    if (!parsed.success) throw badRow(file, line, read.value, parsed.error.issues[0]!.path);
    rows += 1;
    yield { line, row: parsed.data };
  }
  if (rows === 0) throw new UserError(`${file}: holds no rows; expected a labelled answer a line`);
}

function badRow(file: string, line: number, value: object, [field]: readonly PropertyKey[]): UserError {
  const key = String(field);
  const came = JSON.stringify((value as Record<string, unknown>)[key]) ?? 'nothing';
  const shown = came.length > 60 ? `${came.slice(0, 60).toWellFormed()}…` : came;
  return new UserError(`${file}:${line}: ${key}: expected ${expected[key]}, got ${shown}`);
}
