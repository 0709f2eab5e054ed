import { openRowFile } from '../base/rows/openRowFile.ts';
import { UserError } from '../base/userError.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { finalAnswer } from '../schemas/coa/answers.ts';
import { type CalibrationRow, calibrationRowSchema } from '../schemas/judgeCalibration.ts';
import type { ReviewLine } from '../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';
import { reviewsByRecord, standingReviews } from '../stages/review/createReviewStage.ts';
import { readReviews } from '../stages/review/reviewFile.ts';

export interface LabelledAnswer {
  /** Number from 1: line of a file, or position among the reviewed records of a run. */
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
 * Streams the rows of a calibration file.
 *
 * @throws UserError if the file is missing or empty, and at the first bad row
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

/**
 * Answers of a run's records with their reviews as labels: right if accepted, wrong if rejected as `wrong_answer`.
 * Other rejections are ignored. Skips and logs records with conflicting reviews, programs, and trajectories without an
 * answer.
 *
 * @throws UserError if none is left
 */
export async function* reviewedAnswers(
  runFolder: string,
  log: (line: string) => void,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<LabelledAnswer> {
  const labels = await labelsOf(runFolder, log);
  let [line, differ, unfit] = [0, 0, 0];
  // Filter may mask secrets, which gives a record a new id.
  for (const stage of ['convert', 'filter']) {
    for await (const { record } of stageRecords(runFolder, stage, trajectorySchema)) {
      const label = labels.get(record.id);
      if (label === undefined || line >= limit) continue;
      labels.delete(record.id);
      const row = label === 'differ' ? undefined : labelledRow(record, label === 'right');
      if (label === 'differ') differ += 1;
      else if (!row) unfit += 1;
      else yield { line: ++line, row };
    }
  }
  if (differ > 0) log(`left out: ${differ} whose reviewers differ`);
  if (unfit > 0) log(`left out: ${unfit} that are programs or have no answer`);
  if (line === 0)
    throw new UserError(
      `${runFolder}: no answer was reviewed; accept records, or reject them as wrong_answer, in coa-distill view --review`,
    );
}

type Label = 'right' | 'wrong' | 'differ';

async function labelsOf(runFolder: string, log: (line: string) => void): Promise<Map<string, Label>> {
  const labels = new Map<string, Label>();
  const standing = standingReviews(await readReviews(runFolder, log));
  for (const [id, reviews] of reviewsByRecord(standing.filter(speaksOfAnswer))) {
    const said = new Set(reviews.map(({ verdict }) => verdict));
    labels.set(id, said.size > 1 ? 'differ' : said.has('accept') ? 'right' : 'wrong');
  }
  return labels;
}

function speaksOfAnswer({ verdict, reason }: ReviewLine): boolean {
  return verdict === 'accept' || reason === 'wrong_answer';
}

function labelledRow(trajectory: Trajectory, correct: boolean): CalibrationRow | undefined {
  const { question, answers, domain } = trajectory;
  const prediction = finalAnswer(trajectory);
  const parsed = calibrationRowSchema.safeParse({ question, answers, prediction, correct, domain });
  return parsed.data;
}
