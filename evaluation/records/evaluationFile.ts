import { z } from 'zod';

/** A figure with the bounds between which the truth lies in 95 of 100 cases; an upper one of null where none is known. */
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

/** The scores of some tasks. */
const scoresSchema = z.object({
  tasks: z.int().nonnegative(),
  /** Tasks with at least one scored sample: the others are in no figure. */
  scored_tasks: z.int().nonnegative(),
  samples: sampleCounts,
  /** Why samples have no answer or no verdict, by cause. */
  reasons: z.record(z.string(), z.int().positive()),
  /** Mean over tasks of the share of scored samples that are right (avg@n); null where nothing is scored. */
  score: estimate,
  /** The score were every unscored sample wrong, and were it right. */
  bounds: z.object({ low: z.number(), high: z.number() }),
  /** pass@k by k: at least one of k samples is right. Over the tasks with k scored samples. */
  pass_at: byK,
  /** pass^k by k: all of k samples are right. */
  pass_power: byK,
  /** The answer that most samples of a task agree on is right; null for one sample a task. */
  majority: estimate,
  /** The sample that a model picks as the best is right; null where none is asked. Over the tasks that it picked of. */
  best_of_n: estimate.default(null),
  /** Tokens that the model wrote in a sample: the mean over tasks of the mean of their samples that left figures. */
  completion_tokens: estimate,
  /** Calls of tools in a sample, likewise. */
  tool_calls: estimate,
  /** All samples' tokens that the model wrote, over right samples: failures are paid for too; null where none is right. */
  completion_tokens_per_right: estimate,
  cost_usd_per_right: estimate,
  cost_usd: z.number().nonnegative(),
});
export type Scores = z.infer<typeof scoresSchema>;

/** What a role took: one of a team's agents, the CoA model, the judge, or the judge as it picked the best sample. */
const roleUseSchema = z.object({
  calls: z.int().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type RoleUse = z.infer<typeof roleUseSchema>;

/** How a benchmark was played, and what came out. */
const benchmarkResultSchema = z.object({
  name: z.string(),
  /** Folder of its run, relative to the evaluation's. */
  run: z.string(),
  /** Content id of the run's configuration. */
  config_hash: z.string(),
  samples_per_task: z.int().positive(),
  /** Tasks that never got to the player, by drop reason: bad rows, repeated questions. They are in no figure. */
  left_out: z.record(z.string(), z.int().positive()),
  /** True where more than `evaluation.max_unscored` of the samples are unscored: the score then stands for nothing. */
  too_many_unscored: z.boolean(),
  all: scoresSchema,
  /** By the value of the benchmark's group column, such as GAIA's level. */
  groups: z.record(z.string(), scoresSchema),
  /** Tasks apart whose questions stand in what the player learned from; absent where no such files were named. */
  contamination: z.object({ unseen: scoresSchema, seen: scoresSchema }).optional(),
  /** How often a first double check of each score stood before a right answer: is the player right to be sure? */
  double_check: z.array(
    z.object({ score: z.int(), samples: z.int().positive(), right: z.int().nonnegative() }),
  ),
  /** Means over scored trajectories; null where there are none. */
  reflections: z.number().nullable(),
  repeated_tool_inputs: z.number().nullable(),
  /** Scored trajectories that keep the grammar of their profile. */
  grammar: z
    .object({ kept: z.int().nonnegative(), broken: z.int().nonnegative() })
    .default({ kept: 0, broken: 0 }),
  /** What went wrong in steps of a CoA model, by name (docs/student.md): in how many samples, and how often. */
  incidents: z
    .record(z.string(), z.object({ samples: z.int().positive(), times: z.int().positive() }))
    .default({}),
  use_by_role: z.record(z.string(), roleUseSchema).default({}),
});
export type BenchmarkResult = z.infer<typeof benchmarkResultSchema>;

/** `evaluation.json`: the same bytes for the same answers, however often the evaluation was cut off. */
export const evaluationFileSchema = z.object({
  format_version: z.literal(1),
  name: z.string(),
  coa_distill_version: z.string(),
  player: z.object({ backend: z.string(), model: z.string() }),
  benchmarks: z.array(benchmarkResultSchema),
});
export type EvaluationFile = z.infer<typeof evaluationFileSchema>;
