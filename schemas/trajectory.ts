import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { filterMeasuresSchema } from './filterMeasures.ts';
import { domainSchema, recordTestsSchema } from './task.ts';
import { rolloutMemberSchema, taskRollout } from './trace.ts';
import { verdictSchema } from './verdict.ts';

/** Who wrote a text. Loss masks derive from this alone: only `model` is ever trained. */
export const originSchema = z.enum(['prompt', 'model', 'environment']);
export type Origin = z.infer<typeof originSchema>;

/** One tagged piece of a trajectory. The concatenated texts are the row's output, to the byte. */
export const segmentSchema = z.object({
  tag: z.string(),
  origin: originSchema.exclude(['prompt']),
  /** The literal text: tags, body and the line feeds that belong to it. */
  text: z.string(),
  /** Id of the trace event that the words come from. */
  event: z.string(),
});
export type Segment = z.infer<typeof segmentSchema>;

/** Figures about a trajectory that filters and reports read. */
export const qualitySchema = z.object({
  /** Tool calls with an observation (paper: agent-tool interactions). */
  interactions: z.int().nonnegative(),
  reflections: z.int().nonnegative(),
  plans: z.int().nonnegative(),
  /** Tool inputs equal to an earlier one; case and white space of queries are folded, a program's and a URL's are not. */
  redundant_tool_inputs: z.int().nonnegative(),
  /** Score of the first double check; null without one. */
  first_double_check: z.int().nullable(),
  /** Tag look-alikes and control tokens escaped in prompt and environment text. */
  neutralised: z.int().nonnegative(),
  /** Verdicts of the judges, empty before they have spoken. */
  verdicts: z.array(verdictSchema),
});
export type Quality = z.infer<typeof qualitySchema>;

/** How often and how strongly a trajectory is to be trained, where that is not once and with weight 1. */
export const trajectorySamplingSchema = z.object({
  /** How many times its row stands in the dataset; 1 by default. A count of one record, so that no dedup undoes it. */
  repeats: z.int().positive(),
  /** Factor of the loss weights of its segments; 1 by default. */
  weight: z.number().positive(),
  /** Who asked for it, in order, for instance `error_correction` or `temperature`. */
  reasons: z.array(z.string()).min(1),
});
export type TrajectorySampling = z.infer<typeof trajectorySamplingSchema>;

/** A Chain-of-Agents trajectory: one model playing every agent in one tagged text. */
export const trajectorySchema = z.object({
  id: z.string(),
  task_id: z.string(),
  trace_id: z.string(),
  /** Which of the task's rollouts it is made of, from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  /** The rollout of the task that this one is the second try of, told that its answer was wrong; absent for what is none. */
  repairs: z.int().nonnegative().optional(),
  /** The model that wrote the whole text itself, as its endpoint names it; absent where a team's words were put together. */
  model: z.string().optional(),
  /** Which member of a mixture of teachers made it; absent where there was none. */
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
  /** Where the task comes from: the data set's own name for it, or else the file's name; absent where nothing says it. */
  source: z.string().optional(),
  segments: z.array(segmentSchema).min(1),
  quality: qualitySchema,
  /** Absent: once, with weight 1. */
  sampling: trajectorySamplingSchema.optional(),
  /** What the filter measured; absent before it. */
  measures: filterMeasuresSchema.optional(),
});
export type Trajectory = z.infer<typeof trajectorySchema>;

/** Characters of a trajectory's texts: what work on it takes, and what it takes in memory, roughly. */
export function trajectoryLength({ system, user, segments }: Trajectory): number {
  return segments.reduce((sum, { text }) => sum + text.length, system.length + user.length);
}

/** Whether every judge of the answer found it right; at least one must have spoken. */
export function isJudgedCorrect({ quality }: { readonly quality: Pick<Quality, 'verdicts'> }): boolean {
  const ofAnswer = quality.verdicts.filter(({ subject }) => subject === 'answer');
  return ofAnswer.length > 0 && ofAnswer.every(({ judgement }) => judgement === 'correct');
}

/** The id of a trajectory: its rollout, its prompt and its segments, not how it was judged. */
export function trajectoryId(
  trajectory: Pick<Trajectory, 'task_id' | 'rollout' | 'profile' | 'system' | 'user' | 'segments'>,
): string {
  const { profile, system, user, segments } = trajectory;
  return contentId('trajectory', { ...taskRollout(trajectory), profile, system, user, segments });
}
