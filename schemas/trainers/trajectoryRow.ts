import { z } from 'zod';
import { canonicalJson } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import { rolloutMemberSchema } from '../trace.ts';
import { type Trajectory, trajectorySamplingSchema, trajectorySchema } from '../trajectory.ts';
import { verdictSchema } from '../verdict.ts';

const jsonText = z.string();

/**
 * A line of `trajectories.jsonl`: a trajectory whose open-ended parts are JSON text. Arrow-based readers such as
 * `datasets` want one type a column in all rows, which a judge's evidence and a task's tests don't have.
 */
export const trajectoryRowSchema = z.strictObject({
  ...trajectorySchema.omit({ measures: true }).shape,
  member: z.strictObject({ ...rolloutMemberSchema.shape, sampling: jsonText }).optional(),
  tests: jsonText.nullable(),
  source: z.string().nullable().default(null),
  sampling: trajectorySamplingSchema.nullable().default(null),
  quality: z.strictObject({
    ...trajectorySchema.shape.quality.shape,
    verdicts: z.array(
      z.strictObject({
        ...verdictSchema.shape,
        evidence: jsonText,
        /** Empty when none. */
        marked_segments: z.array(z.int().nonnegative()),
      }),
    ),
  }),
});
export type TrajectoryRow = z.infer<typeof trajectoryRowSchema>;

/** Converts a trajectory to a row with columns in reading order. The inverse is {@link trajectoryOfRow}. */
export function trajectoryRow(trajectory: Trajectory): TrajectoryRow {
  const { id, task_id, trace_id, rollout, repairs, model, member } = trajectory;
  const { profile, domain, system, user, question, answers } = trajectory;
  const { tests, source, segments, quality, sampling } = trajectory;
  return {
    ...{ id, task_id, trace_id },
    ...withoutAbsent({ rollout, repairs, model }),
    ...(member && { member: { ...member, sampling: canonicalJson(member.sampling) } }),
    ...{ profile, domain, system, user, question, answers },
    tests: tests === undefined ? null : canonicalJson(tests),
    source: source ?? null,
    segments,
    quality: {
      ...quality,
      verdicts: quality.verdicts.map((verdict) => ({
        ...verdict,
        evidence: canonicalJson(verdict.evidence),
        marked_segments: verdict.marked_segments ?? [],
      })),
    },
    sampling: sampling ?? null,
  };
}

/** Trajectory of a row. Throws `ZodError` or `SyntaxError` for an invalid row. */
export function trajectoryOfRow(row: TrajectoryRow): Trajectory {
  const { tests, source, quality, sampling, member, ...rest } = row;
  return trajectorySchema.parse({
    ...rest,
    ...(member && { member: { ...member, sampling: parseJson(member.sampling) } }),
    ...(tests === null ? {} : { tests: parseJson(tests) }),
    ...(source !== null && { source }),
    ...(sampling !== null && { sampling }),
    quality: {
      ...quality,
      verdicts: quality.verdicts.map(({ evidence, marked_segments, ...verdict }) => ({
        ...verdict,
        evidence: parseJson(evidence),
        ...(marked_segments.length > 0 && { marked_segments }),
      })),
    },
  });
}

/** Trajectory of a parsed line of `trajectories.jsonl`. Throws `ZodError` or `SyntaxError` for an invalid one. */
export function parseTrajectoryRow(value: unknown): Trajectory {
  return trajectoryOfRow(trajectoryRowSchema.parse(value));
}

/** A column in the spelling of a dataset card's `features`. */
interface Feature {
  readonly name: string;
  readonly dtype?: string;
  readonly sequence?: string;
  readonly struct?: readonly Feature[];
  readonly list?: readonly Feature[];
}

/**
 * The columns of a row for a dataset's card: without them the types would be guessed from the first megabytes, where a
 * column may hold nothing but nulls or whole numbers.
 *
 * @param has which of the columns there are that only some rows have: `rollout` stands in those of a task's second rollout
 *   and later ones, `repairs` in second tries, `model` in what one model wrote, `member` in those of a mixture
 */
export function trajectoryFeatures(
  has: Readonly<Record<'rollout' | 'repairs' | 'model' | 'member', boolean>>,
): Feature[] {
  return featuresOf(trajectoryRowSchema.shape).filter(({ name }) => has[name as keyof typeof has] ?? true);
}

function featuresOf(shape: z.core.$ZodShape): Feature[] {
  return Object.entries(shape).map(([name, schema]) => ({ name, ...featureOf(schema) }));
}

function featureOf(schema: z.core.$ZodType): Omit<Feature, 'name'> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return featureOf(schema.unwrap());
  if (schema instanceof z.ZodObject) return { struct: featuresOf(schema.shape) };
  if (!(schema instanceof z.ZodArray))
    return { dtype: schema instanceof z.ZodNumber ? (schema.isInt ? 'int64' : 'float64') : 'string' };
  const { struct, dtype } = featureOf(schema.element);
  return struct ? { list: struct } : { sequence: dtype! };
}
