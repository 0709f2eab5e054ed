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

/** What the routes are made of. */
interface ReviewRoutes {
  /** In whose name reviews are written; null where pages only show. */
  readonly author: string | null;
  /** The source that an address names. */
  readonly sourceOf: (context: Context) => Promise<Source>;
  /** A record of it, by its row. */
  readonly recordOf: (context: Context) => Promise<{ readonly source: Source; readonly row: number }>;
}

/** Reviews of a run's records: the queue, what is said of a record, and where a reviewer was named, a review to add. */
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
    if (!trajectory) throw new UserError('there is nothing to review: the record did not come so far');
    return { runFolder, trajectory, answer: await recordReviews(runFolder, trajectory.id) };
  }
}

/** What is said of a record. */
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
  /** The trajectory that the reviewer saw. */
  record_id: z.string(),
});

/** What a page sends of a record. */
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
