import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { type ReviewLine, reviewLineSchema, reviewWordSchema } from '../../schemas/run/reviewLine.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { appendReview } from '../../stages/review/reviewFile.ts';
import { RunSource } from '../server/runSource.ts';
import type { Source } from '../server/sources.ts';
import { reviewAnswer, standingOf } from './reviewQueue.ts';

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
