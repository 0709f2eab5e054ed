import { z } from 'zod';

/** Estimate with its 95% bounds; the upper one is null if unknown. */
const estimateSchema = z.object({
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type EstimateRecord = z.infer<typeof estimateSchema>;

const estimate = estimateSchema.nullable();
const byK = z.record(z.string().regex(/^\d+$/), estimate);
const sampleCounts = z.object({
  right: z.int().nonnegative(),
  wrong: z.int().nonnegative(),
  unscored: z.int().nonnegative(),
});

const scoresSchema = z.object({
  tasks: z.int().nonnegative(),
  /** Tasks with at least one scored sample; only these are in the figures. */
  scored_tasks: z.int().nonnegative(),
  samples: sampleCounts,
  /** Reasons of samples without an answer or verdict. */
  reasons: z.record(z.string(), z.int().positive()),
  /** Mean over tasks of the share of right among scored samples (avg@n); null without scored samples. */
  score: estimate,
  /** Score if every unscored sample were wrong, and if it were right. */
  bounds: z.object({ low: z.number(), high: z.number() }),
  /** pass@k by k: at least one of k samples is right. Over the tasks with k scored samples. */
  pass_at: byK,
  /** pass^k by k: all of k samples are right. */
  pass_power: byK,
  /** Majority vote of the samples is right; null for one sample per task. */
  majority: estimate,
  /** Sample picked by a model is right; null if not used. Over the tasks with a pick. */
  best_of_n: estimate.default(null),
  /** Completion tokens per sample: mean over tasks of the mean of their samples with usage data. */
  completion_tokens: estimate,
  /** Tool calls per sample, likewise. */
  tool_calls: estimate,
  /** Completion tokens of all samples per right sample, including failures; null if none is right. */
  completion_tokens_per_right: estimate,
  cost_usd_per_right: estimate,
  cost_usd: z.number().nonnegative(),
});
export type Scores = z.infer<typeof scoresSchema>;

/** Usage of a role: an agent of a team, the CoA model, the judge, or the judge picking the best sample. */
const roleUseSchema = z.object({
  calls: z.int().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type RoleUse = z.infer<typeof roleUseSchema>;

const benchmarkResultSchema = z.object({
  name: z.string(),
  /** Folder of its run, relative to the evaluation's. */
  run: z.string(),
  /** Content id of the run's configuration. */
  config_hash: z.string(),
  samples_per_task: z.int().positive(),
  /** Tasks excluded before playing, by drop reason: bad rows, repeated questions. They are in no figure. */
  left_out: z.record(z.string(), z.int().positive()),
  /** True if more than `evaluation.max_unscored` of the samples are unscored, so that the score is not meaningful. */
  too_many_unscored: z.boolean(),
  all: scoresSchema,
  /** Scores by value of the group column, such as GAIA's level. */
  groups: z.record(z.string(), scoresSchema),
  /** Scores of tasks the player was trained on, and of others; absent without training files. */
  contamination: z.object({ unseen: scoresSchema, seen: scoresSchema }).optional(),
  /** Frequency of right answers by score of the first double check: calibration of the player's confidence. */
  double_check: z.array(
    z.object({ score: z.int(), samples: z.int().positive(), right: z.int().nonnegative() }),
  ),
  /** Mean over scored trajectories; null without any. */
  reflections: z.number().nullable(),
  repeated_tool_inputs: z.number().nullable(),
  /** Scored trajectories that follow the grammar of their profile. */
  grammar: z
    .object({ kept: z.int().nonnegative(), broken: z.int().nonnegative() })
    .default({ kept: 0, broken: 0 }),
  /** Errors in steps of a CoA model by name (docs/student.md): number of samples, and occurrences. */
  incidents: z
    .record(z.string(), z.object({ samples: z.int().positive(), times: z.int().positive() }))
    .default({}),
  use_by_role: z.record(z.string(), roleUseSchema).default({}),
});
export type BenchmarkResult = z.infer<typeof benchmarkResultSchema>;

/** `evaluation.json`: equal answers give equal bytes, regardless of interruptions. */
export const evaluationFileSchema = z.object({
  format_version: z.literal(1),
  name: z.string(),
  coa_distill_version: z.string(),
  player: z.object({ backend: z.string(), model: z.string() }),
  benchmarks: z.array(benchmarkResultSchema),
});
export type EvaluationFile = z.infer<typeof evaluationFileSchema>;
