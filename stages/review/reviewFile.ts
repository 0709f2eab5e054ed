import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../base/files/diskError.ts';
import { lockFile } from '../../base/files/lockFolder.ts';
import { readPlain } from '../../base/files/plainFile.ts';
import { Journal } from '../../base/journal/journal.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { scanJournal } from '../../base/journal/scanJournal.ts';
import { parseSealedAs } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { ReviewConfig } from '../../schemas/config/review.ts';
import { type ReviewLine, reviewLineSchema } from '../../schemas/run/reviewLine.ts';
import { decideReviews, type ReviewDecisions, standingReviews } from './createReviewStage.ts';

const advice = 'restore the line, or take it out';

export function reviewsPath(runFolder: string): string {
  return join(runFolder, 'reviews.jsonl');
}

/**
 * Reviews of a run's records in order; none without a file. A torn last line is skipped, with a line to `log`.
 * @throws UserError when a line before the last is damaged, and when the file is not a plain one of the run's own
 */
export async function readReviews(runFolder: string, log: (line: string) => void): Promise<ReviewLine[]> {
  const path = reviewsPath(runFolder);
  const reviews: ReviewLine[] = [];
  let damaged: UserError | undefined;
  for await (const { bytes, number, whole } of readLines(path, 0, runFolder)) {
    if (damaged) throw damaged;
    try {
      if (!whole) throw new Error('it has no line feed');
      reviews.push(parseSealedAs(reviewLineSchema, bytes));
    } catch (error) {
      damaged = new UserError(`${path}:${number}: damaged (${(error as Error).message}); ${advice}`);
    }
  }
  if (damaged) log(`the last line of reviews.jsonl is left out: ${damaged.message}`);
  return reviews;
}

/**
 * Adds a review durably. Safe for concurrent processes and during a run.
 * @throws UserError when an earlier line is damaged, or the file stays locked
 */
export async function appendReview(runFolder: string, review: ReviewLine): Promise<void> {
  const path = reviewsPath(runFolder);
  const unlock = await lockFile(join(runFolder, 'reviews.lock'));
  try {
    const journal = await Journal.open(path, await scanJournal(path, () => {}, advice, runFolder));
    journal.append(reviewLineSchema.parse(review));
    await journal.close();
  } finally {
    unlock();
  }
}

/** Copies a run's reviews, if any, to another run folder. */
export async function copyReviews(from: string, to: string): Promise<void> {
  const reviews = await ifThere(readPlain(reviewsPath(from), { within: from }));
  if (reviews) await writeFile(reviewsPath(to), reviews);
}

/** Parts of a loaded configuration that reviews change. */
interface Reviewable {
  readonly config: { readonly review?: ReviewConfig | undefined };
  readonly reviews?: ReviewDecisions;
}

/** Adds the decisions from a run folder's reviews to a configuration. Throws and logs as {@link readReviews}. */
export async function withReviews<Loaded extends Reviewable>(
  loaded: Loaded,
  runFolder: string,
  log: (line: string) => void,
): Promise<Loaded> {
  const { reviews: _, ...unreviewed } = loaded;
  const standing = standingReviews(await readReviews(runFolder, log));
  const decisions = decideReviews(standing, loaded.config.review?.rule);
  return { ...unreviewed, ...(decisions.size > 0 && { reviews: decisions }) } as Loaded;
}
