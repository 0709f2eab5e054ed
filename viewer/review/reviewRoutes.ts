import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { reviewConfigSchema } from '../../schemas/config/review.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { type ReviewLine, reviewLineSchema, reviewWordSchema } from '../../schemas/run/reviewLine.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { standingReviews } from '../../stages/review/createReviewStage.ts';
import { appendReview, readReviews } from '../../stages/review/reviewFile.ts';
import type { RowFilter } from '../index/queryRows.ts';
import { parseRowFilter } from '../server/listedRows.ts';
import { RunSource } from '../server/runSource.ts';
import type { Source } from '../server/sources.ts';

/** A note of 4,000 characters, each written as an escape. */
const MAX_BODY_BYTES = 64 * 1024;

interface ReviewRoutes {
  /** Author of new reviews; null: read-only. */
  readonly author: string | null;
  readonly sourceOf: (context: Context) => Promise<Source>;
  readonly recordOf: (context: Context) => Promise<{ readonly source: Source; readonly row: number }>;
}

/** Adds the routes of reviews: queue, reviews of a record, and, with an author, a new review. */
export function addReviewRoutes(app: Hono, { author, sourceOf, recordOf }: ReviewRoutes): void {
  const path = '/api/sources/:name/review';
  const limit = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (context) => context.json({ error: `a review has at most ${MAX_BODY_BYTES} bytes` }, 413),
  });
  app.get(path, async (context) => {
    const query = new URL(context.req.url).searchParams;
    return context.json(await reviewAnswer(ofRun(await sourceOf(context)), query, author));
  });
  app.get(`${path}/:key`, async (context) => context.json((await reviewed(context)).answer));
  app.post(`${path}/:key`, limit, async (context) => {
    if (author === null) return context.json({ error: 'start coa-distill view with --review --author' }, 403);
    if (context.req.header('content-type') !== 'application/json')
      return context.json({ error: 'expected a review as application/json' }, 415);
    const { runFolder, trajectory } = await reviewed(context);
    const body: unknown = await context.req.json().catch(() => undefined);
    await takeReview(runFolder, trajectory, body, author);
    return context.json((await reviewed(context)).answer);
  });

  async function reviewed(context: Context) {
    const { source, row } = await recordOf(context);
    const run = ofRun(source);
    const { runFolder } = run;
    const { trajectory } = await run.recordWithTrajectory(row);
    if (!trajectory) throw new UserError('there is nothing to review: the record has no trajectory');
    return { runFolder, trajectory, answer: await recordReviews(runFolder, trajectory.id) };
  }
}

export async function recordReviews(runFolder: string, recordId: string) {
  const standing = await standingOf(runFolder);
  return { record_id: recordId, reviews: standing.filter(({ record_id }) => record_id === recordId) };
}

function ofRun(source: Source): RunSource {
  if (source instanceof RunSource) return source;
  throw new UserError(`${source.name} is not a run: only records of runs are reviewed`);
}

const requestSchema = z.strictObject({
  ...reviewWordSchema.shape,
  record_id: z.string(),
});

export type ReviewRequest = z.infer<typeof requestSchema>;

/**
 * Writes down what a page sent as the word of an author on a record.
 *
 * @param body - as it came
 * @throws UserError for what is not a review, or one of a record that has changed
 */
async function takeReview(
  runFolder: string,
  trajectory: Trajectory,
  body: unknown,
  author: string,
): Promise<void> {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) throw refused(parsed.error);
  const { record_id, ...word } = parsed.data;
  if (record_id !== trajectory.id)
    throw new UserError(`the record has changed since the page showed it; load the page again`);
  const { task_id, rollout } = trajectory;
  const line = reviewLineSchema.safeParse({
    record_id,
    task_id,
    ...(rollout !== undefined && { rollout }),
    author,
    at: new Date(systemClock.now()).toISOString(),
    ...word,
  } satisfies ReviewLine);
  if (!line.success) throw refused(line.error);
  await appendReview(runFolder, line.data);
}

function refused({ issues }: z.ZodError): UserError {
  const [issue] = issues;
  return new UserError(`not a review: ${issue?.path.join('.') || 'the body'}: ${issue?.message}`);
}

const MAX_QUEUE = 2_000;

/** Section with its name, for error messages. */
const ruleSchema = z.object({ review: reviewConfigSchema.prefault({}) });

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
    /** `own`: the author's verdict; null without one. */
    queue: queue.slice(0, MAX_QUEUE).map((key) => ({ key, own: own.get(key) ?? null })),
    /** Matching records with a trajectory; the queue holds the first or a sample. */
    found: keys.length,
    reviewers: reviewerCounts(standing),
    /** Reviews of records that the run no longer has; empty while the index is first built. */
    unknown: source.live.progress.isGrowing
      ? []
      : unknown.map(({ record_id, author }) => ({ record_id, author })),
    /** Command that makes the dataset with the reviews. */
    command: resumeCommandOf({ ...run, name: source.name }, source.runFolder),
    /** True if that command may work on further tasks to replace rejected rows. */
    hasTarget: run.config.target !== undefined,
  };
}

/** Each author's last review of each record. A torn last line is being written by another process. */
export async function standingOf(runFolder: string): Promise<ReviewLine[]> {
  return standingReviews(await readReviews(runFolder, () => {}));
}

/** Key of a review's record. */
function keyOfReview({ task_id, rollout = 0 }: ReviewLine): string {
  return rollout > 0 ? `${task_id}#${rollout}` : task_id;
}

/** Whether the record still has this trajectory id. */
function isCurrent({ live: { index } }: RunSource, key: string, recordId: string): boolean {
  const row = index.rowOfKey(key);
  return row !== undefined && index.rowsAt([row])[0]!.recordId === recordId;
}

/** Matching records with a trajectory. */
function queuedKeys({ live }: RunSource, filter: RowFilter): string[] {
  const { columns } = live.index;
  const rows = live.query(filter).rows.filter((row) => columns.figureOf(row, 'segments') !== undefined);
  return live.index.rowsAt(rows).map(({ key }) => key);
}

/** Draws a sample if the query asks for one; a larger sample begins with a smaller one of the same seed. */
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
