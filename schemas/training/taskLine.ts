import { z } from 'zod';

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/**
 * Why a task is not learned from.
 *
 * | reason | meaning |
 * |---|---|
 * | `no_rate`, `few_samples` | nobody knows its pass rate, or from fewer tries than `rl.tasks.preset` asks for |
 * | `too_easy`, `too_hard` | the rate is above or below what `rl.tasks` allows |
 * | `in_sft` | the dataset has a row of it for supervised training |
 * | `left_out` | its question stands in a file of `rl.tasks.leave_out`, or in a benchmark |
 * | `prompt_too_long` | its prompt has more tokens than `training.rl.max_prompt_tokens` |
 * | `unusable` | its prompt can't be written exactly |
 */
export const rlTaskReasonSchema = z.enum([
  'no_rate',
  'few_samples',
  'too_easy',
  'too_hard',
  'in_sft',
  'left_out',
  'prompt_too_long',
  'unusable',
]);
export type RlTaskReason = z.infer<typeof rlTaskReasonSchema>;

/** Solve rate of a task, and its consequence for its groups. */
export const measuredRateSchema = z.object({
  passed: count,
  samples: z.int().positive(),
  /** Wilson's 95% interval of the pass rate. */
  low: share,
  high: share,
  /** Probability that a group of `training.rl.rollouts` has right and wrong answers. */
  mixed: share,
});
export type MeasuredRate = z.infer<typeof measuredRateSchema>;

/** A line of `verl_rl/ledger.jsonl`: a task with rollouts, kept or not. */
export const rlTaskLineSchema = z.object({
  task_id: z.string(),
  verdict: z.enum(['kept', 'dropped']),
  /** Null if kept. */
  reason: rlTaskReasonSchema.nullable(),
  /** Null if unknown. */
  rate: measuredRateSchema.nullable(),
  /** Null if the prompt was not checked. */
  prompt_tokens: count.nullable(),
  /** Location of the question in `rl.tasks.leave_out`, or the problem of writing it. */
  detail: z.string().optional(),
});
export type RlTaskLine = z.infer<typeof rlTaskLineSchema>;

/** Tasks of a dataset's RL format: `tasks` = `kept` + all dropped. */
export const rlTaskCountsSchema = z.object({
  tasks: count,
  kept: count,
  dropped: z.partialRecord(rlTaskReasonSchema, count),
  splits: z.object({ train: count, validation: count }),
});
export type RlTaskCounts = z.infer<typeof rlTaskCountsSchema>;

/** One-line summary: `120 of 400 tasks (left out: 200 too_easy, 80 in_sft)`. */
export function rlTaskNotice({ tasks, kept, dropped }: RlTaskCounts): string {
  const left = Object.entries(dropped).map(([reason, number]) => `${number} ${reason}`);
  return `${kept} of ${tasks} tasks${left.length === 0 ? '' : ` (left out: ${left.join(', ')})`}`;
}
