import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { reviewConfigSchema } from '../../schemas/config/review.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { standingReviews } from '../../stages/review/createReviewStage.ts';
import { readReviews } from '../../stages/review/reviewFile.ts';
import type { RowFilter } from '../index/queryRows.ts';
import { parseRowFilter } from '../server/listedRows.ts';
import type { RunSource } from '../server/runSource.ts';

/** Records that a queue holds at most. */
const MAX_QUEUE = 2_000;

/** The section with its name, which is told where something is wrong with it. */
const ruleSchema = z.object({ review: reviewConfigSchema.prefault({}) });

/** A record that waits for a review, or has one. */
export type QueuedRecord = Awaited<ReturnType<typeof reviewAnswer>>['queue'][number];

/**
 * What a reviewer needs besides the records: the queue, who did how much, and what to do with it.
 *
 * @param author in whose name reviews are written; null where pages only show
 */
export async function reviewAnswer(source: RunSource, query: URLSearchParams, author: string | null) {
  const run = await readRunFile(source.runFolder);
  if (!run) throw new UserError(`${source.runFolder}: the run is gone`);
  const standing = await standingOf(source.runFolder);
  const unknown: ReviewLine[] = [];
  const own = new Map<string, ReviewLine['verdict']>();
  for (const review of standing) {
    const key = keyOfReview(review);
    if (!isCurrent(source, key, review.record_id)) unknown.push(review);
    else if (review.author === author) own.set(key, review.verdict);
  }
  const keys = queuedKeys(source, parseRowFilter(query));
  // It brings all that a run is made of, 40 MB.
  const { resumeCommandOf } = await import('../../operations/resumeCommandOf.ts');
  const queue = sampled(keys, query);
  return {
    author,
    rule: ruleSchema.parse(run.config).review.rule,
    /** With the own verdict, which is null before there is one. */
    queue: queue.slice(0, MAX_QUEUE).map((key) => ({ key, own: own.get(key) ?? null })),
    /** Records with a trajectory that the filter finds; the queue holds a beginning or a sample of them. */
    found: keys.length,
    reviewers: reviewerCounts(standing),
    /** Reviews of records that the run does not have as they were; none while it is looked through for the first time. */
    unknown: source.live.progress.isGrowing
      ? []
      : unknown.map(({ record_id, author }) => ({ record_id, author })),
    /** Makes the dataset with the reviews. */
    command: resumeCommandOf({ ...run, name: source.name }, source.runFolder),
    /** Whether that command may work on further tasks in the place of rejected rows. */
    hasTarget: run.config.target !== undefined,
  };
}

/** The last word of each author on each record of a run. A torn last line is another process's, under way. */
export async function standingOf(runFolder: string): Promise<ReviewLine[]> {
  return standingReviews(await readReviews(runFolder, () => {}));
}

/** The record that a review is of, as addresses name it. */
function keyOfReview({ task_id, rollout = 0 }: ReviewLine): string {
  return rollout > 0 ? `${task_id}#${rollout}` : task_id;
}

/** Whether a record's trajectory has an id. */
function isCurrent({ live: { index } }: RunSource, key: string, recordId: string): boolean {
  const row = index.rowOfKey(key);
  return row !== undefined && index.rowsAt([row])[0]!.recordId === recordId;
}

/** Records with a trajectory that a filter finds, in their order. */
function queuedKeys({ live }: RunSource, filter: RowFilter): string[] {
  const { columns } = live.index;
  const rows = live.query(filter).rows.filter((row) => columns.figureOf(row, 'segments') !== undefined);
  return live.index.rowsAt(rows).map(({ key }) => key);
}

/** A sample in an order of its own, where the address asks for one: a larger one of the same seed begins with a smaller one. */
function sampled(keys: readonly string[], query: URLSearchParams): readonly string[] {
  const size = Math.max(0, Math.floor(Number(query.get('sample') ?? 0) || 0));
  const seed = Number(query.get('seed') ?? 0) || 0;
  if (size === 0) return keys;
  return keys
    .map((key) => [hashedShare('review', seed, key), key] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, size)
    .map(([, key]) => key);
}

function reviewerCounts(standing: readonly ReviewLine[]) {
  const authors = [...new Set(standing.map(({ author }) => author))].sort();
  return authors.map((author) => {
    const own = standing.filter((review) => review.author === author);
    return {
      author,
      accepted: own.filter(({ verdict }) => verdict === 'accept').length,
      rejected: own.filter(({ verdict }) => verdict === 'reject').length,
    };
  });
}
