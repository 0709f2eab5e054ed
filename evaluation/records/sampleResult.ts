import { z } from 'zod';
import { failureCauseSchema } from '../../schemas/failureCauses.ts';

const sampleUseSchema = z.object({
  completion_tokens: z.int().nonnegative(),
  /** Prompt tokens, counted for each call. */
  prompt_tokens: z.int().nonnegative(),
  model_calls: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type SampleUse = z.infer<typeof sampleUseSchema>;

/**
 * Result of a sample. `wrong` is the player's fault: a wrong answer, or none. `unscored` says nothing about the player:
 * the endpoint, a tool or the judge failed.
 */
const sampleResultSchema = z.object({
  task_id: z.string(),
  sample: z.int().nonnegative(),
  result: z.enum(['right', 'wrong', 'unscored']),
  /** Reason for a missing answer or verdict; null if judged. */
  reason: failureCauseSchema.or(z.enum(['dropped', 'pending'])).nullable(),
  /** Judge's score from 0 to 1; null if unscored; 0 without an answer. */
  score: z.number().min(0).max(1).nullable(),
  /** Final answer as judged; null without one. */
  answer: z.string().nullable(),
  /** Null if a failure left no usage data. */
  use: sampleUseSchema.nullable(),
  /** Score of the first double check, 1 to 4; null without one. */
  double_check: z.int().nullable(),
  /** Reflections in the trajectory; null without a trajectory. */
  reflections: z.int().nonnegative().nullable(),
  /** Repeated tool inputs in the trajectory; null without a trajectory. */
  repeated_tool_inputs: z.int().nonnegative().nullable(),
});
export type SampleResult = z.infer<typeof sampleResultSchema>;

export const taskResultSchema = z.object({
  task_id: z.string(),
  question: z.string(),
  answers: z.array(z.string()),
  /** Value of the group column, such as a level; absent without one. */
  group: z.string().optional(),
  /** Value of the cluster column; tasks of one cluster are not independent. */
  cluster: z.string().optional(),
  /** True if the player was trained on its question; absent without training files. */
  seen_in_training: z.boolean().optional(),
  /**
   * Number of the sample that the judge's model picked as best, without the reference answer; null if no sample has an
   * answer; absent if not used, or without a pick.
   */
  picked: z.int().nonnegative().nullable().optional(),
  samples: z.array(sampleResultSchema),
});
export type TaskResult = z.infer<typeof taskResultSchema>;
