import { z } from 'zod';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { appendReview } from '../../pipeline/run/reviewFile.ts';
import { markOf, type ReviewLine, reviewLineSchema, reviewWordSchema } from '../../schemas/run/reviewLine.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ReviewRequest } from './reviewApi.ts';

const requestSchema = z.strictObject({
  ...reviewWordSchema.shape,
  record_id: z.string(),
  segments: z.array(z.int().nonnegative()).max(100_000),
}) satisfies z.ZodType<ReviewRequest>;

/**
 * Writes down what a page sent as the word of an author on a record.
 *
 * @param body - as it came
 * @throws UserError for what is no review, or one of what is not there any more
 */
export async function takeReview(
  runFolder: string,
  trajectory: Trajectory,
  body: unknown,
  author: string,
): Promise<void> {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) throw refused(parsed.error);
  const { record_id, segments, ...word } = parsed.data;
  if (record_id !== trajectory.id)
    throw new UserError(`the record has changed since the page showed it; load the page again`);
  const marks = [...new Set(segments)].sort((a, b) => a - b).map((index) => markedSegment(trajectory, index));
  const { task_id, rollout } = trajectory;
  const line = reviewLineSchema.safeParse({
    record_id,
    task_id,
    ...(rollout !== undefined && { rollout }),
    author,
    at: new Date(systemClock.now()).toISOString(),
    ...word,
    ...(marks.length > 0 && { segments: marks }),
  } satisfies ReviewLine);
  if (!line.success) throw refused(line.error);
  await appendReview(runFolder, line.data);
}

function markedSegment({ segments }: Trajectory, index: number) {
  const segment = segments[index];
  if (segment?.origin === 'model') return markOf(index, segment.text);
  throw new UserError(`segments: ${index} is no place of a segment that the model wrote`);
}

function refused({ issues }: z.ZodError): UserError {
  const [issue] = issues;
  return new UserError(`no review: ${issue?.path.join('.') || 'the body'}: ${issue?.message}`);
}
