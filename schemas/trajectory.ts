import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { filterMeasuresSchema } from './filterMeasures.ts';
import { domainSchema, recordTestsSchema } from './task.ts';
import { rolloutMemberSchema, taskRollout } from './trace.ts';
import { verdictSchema } from './verdict.ts';

/** Author of a text. Loss masks derive from this alone: only `model` is ever trained. */
export const originSchema = z.enum(['prompt', 'model', 'environment']);
export type Origin = z.infer<typeof originSchema>;

/** One tagged piece of a trajectory. The concatenated texts are the row's output, to the byte. */
export const segmentSchema = z.object({
  tag: z.string(),
  origin: originSchema.exclude(['prompt']),
  /** The literal text: tags, body and the line feeds that belong to it. */
  text: z.string(),
  /** Id of the trace event of the text. */
  event: z.string(),
});
export type Segment = z.infer<typeof segmentSchema>;

/** Measures of a trajectory for filters and reports. */
export const qualitySchema = z.object({
  /** Tool calls with an observation (paper: agent-tool interactions). */
  interactions: z.int().nonnegative(),
  reflections: z.int().nonnegative(),
  plans: z.int().nonnegative(),
  /** Tool inputs equal to an earlier one; case and white space are folded in queries, not in programs and URLs. */
  redundant_tool_inputs: z.int().nonnegative(),
  /** Score of the first double check; null without one. */
  first_double_check: z.int().nullable(),
  /** Tag look-alikes and control tokens escaped in prompt and environment text. */
  neutralised: z.int().nonnegative(),
  /** Verdicts of the judges, empty before judging. */
  verdicts: z.array(verdictSchema),
});
export type Quality = z.infer<typeof qualitySchema>;

/** Repetition and weight of a trajectory in training, if not once with weight 1. */
export const trajectorySamplingSchema = z.object({
  /** Number of its rows in the dataset; default: 1. A count in one record, so that no dedup undoes it. */
  repeats: z.int().positive(),
  /** Factor of its segments' loss weights; default: 1. */
  weight: z.number().positive(),
  /** Requesting stages in order, such as `error_correction` or `temperature`. */
  reasons: z.array(z.string()).min(1),
});
export type TrajectorySampling = z.infer<typeof trajectorySamplingSchema>;

/** A Chain-of-Agents trajectory: one model playing every agent in one tagged text. */
export const trajectorySchema = z.object({
  id: z.string(),
  task_id: z.string(),
  trace_id: z.string(),
  /** Rollout number from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  /** Rollout whose wrong answer this second try corrects; absent otherwise. */
  repairs: z.int().nonnegative().optional(),
  /** Model that wrote the whole text, by its endpoint's name; absent for the assembled text of a team. */
  model: z.string().optional(),
  /** Mixture member that made it; absent without a mixture. */
  member: rolloutMemberSchema.optional(),
  profile: z.string(),
  domain: domainSchema,
  /** System turn. */
  system: z.string(),
  /** User turn: the profile's instruction and the question. */
  user: z.string(),
  question: z.string(),
  answers: z.array(z.string()),
  tests: recordTestsSchema.optional(),
  /** Origin of the task: the data set's name for it, otherwise the file's name; absent if unknown. */
  source: z.string().optional(),
  segments: z.array(segmentSchema).min(1),
  quality: qualitySchema,
  /** Default: once, with weight 1. */
  sampling: trajectorySamplingSchema.optional(),
  /** Measures of the filter; absent before it. */
  measures: filterMeasuresSchema.optional(),
});
export type Trajectory = z.infer<typeof trajectorySchema>;

/** Total characters of a trajectory's texts, an estimate of its cost in time and memory. */
export function trajectoryLength({ system, user, segments }: Trajectory): number {
  return segments.reduce((sum, { text }) => sum + text.length, system.length + user.length);
}

/** True if every judge of the answer found it right; at least one verdict is required. */
export function isJudgedCorrect({ quality }: { readonly quality: Pick<Quality, 'verdicts'> }): boolean {
  const ofAnswer = quality.verdicts.filter(({ subject }) => subject === 'answer');
  return ofAnswer.length > 0 && ofAnswer.every(({ judgement }) => judgement === 'correct');
}

/** Id of a trajectory, from its rollout, prompt and segments, not from verdicts. */
export function trajectoryId(
  trajectory: Pick<Trajectory, 'task_id' | 'rollout' | 'profile' | 'system' | 'user' | 'segments'>,
): string {
  const { profile, system, user, segments } = trajectory;
  return contentId('trajectory', { ...taskRollout(trajectory), profile, system, user, segments });
}
