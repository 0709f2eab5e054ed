import { UserError } from '../base/userError.ts';
import { readReviews } from '../pipeline/run/reviewFile.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { finalAnswer } from '../schemas/coa/answers.ts';
import { type CalibrationRow, calibrationRowSchema } from '../schemas/judgeCalibration.ts';
import type { ReviewLine } from '../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../schemas/trajectory.ts';
import { reviewsByRecord, standingReviews } from '../stages/review/decideReviews.ts';

/** An answer that people reviewed. */
interface ReviewedAnswer {
  /** Which one it is, from 1, in the order of the run's records. */
  readonly line: number;
  readonly row: CalibrationRow;
}

/**
 * The answers of a run's records with what their reviewers say of them: right where it was accepted, wrong where it was
 * rejected as `wrong_answer`. Other rejections say nothing of the answer. Left out, and told to `log`, are records whose
 * reviewers differ, programs, and trajectories that end without an answer.
 *
 * @throws UserError where there is none
 */
export async function* reviewedAnswers(
  runFolder: string,
  log: (line: string) => void,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<ReviewedAnswer> {
  const labels = await labelsOf(runFolder, log);
  let [line, differ, unfit] = [0, 0, 0];
  // What the filter masks has an id of its own.
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
