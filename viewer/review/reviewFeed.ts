import { stat } from 'node:fs/promises';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { reviewsByRecord, standingReviews } from '../../stages/review/createReviewStage.ts';
import { readReviews, reviewsPath } from '../../stages/review/reviewFile.ts';
import type { RowChange } from '../index/fields.ts';

/** Changes whenever a review is added; empty without reviews. */
export async function reviewsState(folder: string): Promise<string> {
  const found = await stat(reviewsPath(folder)).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

/**
 * What people say of a run's records by now, for every record that somebody ever spoke of: what was taken back shows as
 * nothing. Of a damaged file nothing: the page of reviews says what is wrong with it.
 */
export async function reviewChanges(folder: string): Promise<RowChange[]> {
  const lines = await readReviews(folder, () => {}).catch(() => []);
  const standing = reviewsByRecord(standingReviews(lines));
  return [...new Map(lines.map((line) => [line.record_id, line])).values()].map(
    ({ record_id, task_id, rollout = 0 }) => ({
      key: { taskId: task_id, rollout },
      ofRecord: record_id,
      facts: { facets: { review: wordsOf(standing.get(record_id) ?? []) } },
    }),
  );
}

function wordsOf(reviews: readonly ReviewLine[]): string[] {
  const isSaid = (wanted: ReviewLine['verdict']) => reviews.some(({ verdict }) => verdict === wanted);
  const [accepted, rejected] = [isSaid('accept'), isSaid('reject')];
  return [
    ...(accepted ? ['accepted'] : []),
    ...(rejected ? ['rejected'] : []),
    ...(accepted && rejected ? ['reviewers differ'] : []),
    ...(reviews.some(({ note }) => note !== undefined) ? ['with a note'] : []),
  ];
}
