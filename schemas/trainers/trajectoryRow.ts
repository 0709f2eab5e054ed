import { z } from 'zod';
import { canonicalJson } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import { rolloutMemberSchema } from '../trace.ts';
import { type Trajectory, trajectorySamplingSchema, trajectorySchema } from '../trajectory.ts';
import { verdictSchema } from '../verdict.ts';

const jsonText = z.string();

/**
 * A line of `trajectories.jsonl`: a trajectory whose open-ended parts are JSON text. Arrow-based readers such as
 * `datasets` want one type a column in all rows, which a judge's evidence and a task's tests don't have.
 */
export const trajectoryRowSchema = z.strictObject({
  ...trajectorySchema.shape,
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

/** A trajectory as a row, columns in the order in which they are read. The inverse is {@link trajectoryOfRow}. */
export function trajectoryRow(trajectory: Trajectory): TrajectoryRow {
  const { id, task_id, trace_id, rollout, repairs, model, member } = trajectory;
  const { profile, domain, system, user, question, answers } = trajectory;
  const { tests, source, segments, quality, sampling } = trajectory;
  return {
    ...{ id, task_id, trace_id },
    ...(rollout !== undefined && { rollout }),
    ...(repairs !== undefined && { repairs }),
    ...(model !== undefined && { model }),
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

/** The trajectory of a row. Throws `ZodError` or `SyntaxError` for a row that holds none. */
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

/** The trajectory of a parsed line of `trajectories.jsonl`. Throws `ZodError` or `SyntaxError` for one that holds none. */
export function parseTrajectoryRow(value: unknown): Trajectory {
  return trajectoryOfRow(trajectoryRowSchema.parse(value));
}

/**
 * The columns of a row in the spelling of a dataset card's `features`: without them the types would be guessed from
 * the first megabytes, where a column may hold nothing but nulls or whole numbers. `rollout` stands only in rows of a
 * task's second rollout and later ones, `repairs` in those of second tries, `model` in those that one model wrote, and `member`
 * in those of a mixture, so that each is a column only where there are such rows.
 */
export const trajectoryFeatures = (has: {
  readonly rollouts: boolean;
  readonly repairs: boolean;
  readonly models: boolean;
  readonly members: boolean;
}) => [
  ...['id', 'task_id', 'trace_id'].map(text),
  ...(has.rollouts ? [{ name: 'rollout', dtype: 'int64' }] : []),
  ...(has.repairs ? [{ name: 'repairs', dtype: 'int64' }] : []),
  ...(has.models ? [text('model')] : []),
  ...(has.members ? [{ name: 'member', struct: ['name', 'model', 'sampling'].map(text) }] : []),
  ...['profile', 'domain', 'system', 'user', 'question'].map(text),
  { name: 'answers', sequence: 'string' },
  text('tests'),
  text('source'),
  { name: 'segments', list: ['tag', 'origin', 'text', 'event'].map(text) },
  {
    name: 'quality',
    struct: [
      ...[
        'interactions',
        'reflections',
        'plans',
        'redundant_tool_inputs',
        'first_double_check',
        'neutralised',
      ].map((name) => ({ name, dtype: 'int64' })),
      {
        name: 'verdicts',
        list: [
          ...['subject', 'judge', 'judgement'].map(text),
          { name: 'score', dtype: 'float64' },
          text('evidence'),
          { name: 'marked_segments', sequence: 'int64' },
        ],
      },
    ],
  },
  {
    name: 'sampling',
    struct: [
      { name: 'repeats', dtype: 'int64' },
      { name: 'weight', dtype: 'float64' },
      { name: 'reasons', sequence: 'string' },
    ],
  },
];

function text(name: string) {
  return { name, dtype: 'string' };
}
