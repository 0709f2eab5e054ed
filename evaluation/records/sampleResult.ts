import { z } from 'zod';
import { failureCauseSchema } from '../../schemas/failureCauses.ts';

/** What a player took for one sample: its own tokens, calls of tools, and money. */
const sampleUseSchema = z.object({
  /** Tokens that the model wrote. */
  completion_tokens: z.int().nonnegative(),
  /** Tokens that it read, once for each call. */
  prompt_tokens: z.int().nonnegative(),
  model_calls: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type SampleUse = z.infer<typeof sampleUseSchema>;

/**
 * How one sample of a task ended. `wrong` is what the player is to blame for: a wrong answer, or none. `unscored` says
 * nothing of it: the endpoint, a tool or the judge failed.
 */
const sampleResultSchema = z.object({
  task_id: z.string(),
  /** Number of the sample among the task's, from 0. */
  sample: z.int().nonnegative(),
  result: z.enum(['right', 'wrong', 'unscored']),
  /** Why there is no answer to judge, or no verdict; null where one was judged. */
  reason: failureCauseSchema.or(z.enum(['dropped', 'pending'])).nullable(),
  /** The judge's score from 0 to 1; null where unscored; 0 for no answer. */
  score: z.number().min(0).max(1).nullable(),
  /** The final answer, as it was judged; null for none. */
  answer: z.string().nullable(),
  /** Null where a failure left no figures. */
  use: sampleUseSchema.nullable(),
  /** Score of the first double check, 1 to 4; null without one. */
  double_check: z.int().nullable(),
  /** Reflections of the trajectory; null where there is none. */
  reflections: z.int().nonnegative().nullable(),
  /** Tool inputs equal to an earlier one of the trajectory; null where there is none. */
  repeated_tool_inputs: z.int().nonnegative().nullable(),
});
export type SampleResult = z.infer<typeof sampleResultSchema>;

/** A task of a benchmark with what became of its samples. */
export const taskResultSchema = z.object({
  task_id: z.string(),
  question: z.string(),
  answers: z.array(z.string()),
  /** Value of the benchmark's group column, such as a level; absent where it has none. */
  group: z.string().optional(),
  /** Value of the benchmark's cluster column: tasks of one cluster are not independent. */
  cluster: z.string().optional(),
  /** Whether its question stands in the files that the player learned from; absent where none were named. */
  seen_in_training: z.boolean().optional(),
  /**
   * Number of the sample that the judge's model takes for the best, without the right answer; null where no sample has
   * an answer; absent where it was not asked, or named none.
   */
  picked: z.int().nonnegative().nullable().optional(),
  samples: z.array(sampleResultSchema),
});
export type TaskResult = z.infer<typeof taskResultSchema>;
