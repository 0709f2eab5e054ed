import { z } from 'zod';
import { trainingPlanSchema } from './trainingPlan.ts';

/**
 * Handle by which a job is found again after its starting process has ended. Members are private to each launcher.
 */
export const jobHandleSchema = z.looseObject({ kind: z.string() });
export type JobHandle = z.infer<typeof jobHandleSchema>;

/** Recognised causes of a crash. */
export const crashCauses = {
  gpu_out_of_memory: 'a GPU had no memory left',
  host_out_of_memory: 'the machine, or the limit that the job runs under, had no memory left',
  disk_full: 'the disk was full',
  port_in_use: "the port of the processes' meeting point was taken",
  rendezvous_timeout: 'the processes did not find each other, or one of them stopped answering',
  missing_package: "a package is missing in the trainer's Python environment",
  missing_program: 'the program that starts the trainer was not found',
  broken_checkpoint: 'the checkpoint to go on from could not be read',
  wrong_model: 'the model could not be loaded',
  nan_loss: 'the loss was not a number any more',
  rollouts_failed: 'too many rollouts failed or got no verdict',
  steps_missing: 'the trainer ended well before the last step of the plan',
  killed: 'it was killed from outside',
} as const;
export type CrashCause = keyof typeof crashCauses;

/** End of an attempt. */
const attemptEndSchema = z.object({
  /** `lost`: ended in an unknown way. */
  outcome: z.enum(['finished', 'failed', 'stopped', 'lost']),
  exit_code: z.int().nullable(),
  /** Null if unrecognised or nothing failed. */
  cause: z.enum(Object.keys(crashCauses) as [CrashCause, ...CrashCause[]]).nullable(),
  last_words: z.string(),
});
export type AttemptEnd = z.infer<typeof attemptEndSchema>;

/** One start of a job; a resumed job has several. */
const jobAttemptSchema = z.object({
  handle: jobHandleSchema,
  started_at: z.iso.datetime(),
  /** Step of the resumed checkpoint; 0 for a fresh start. */
  from_step: z.int().nonnegative(),
  /** Bytes of the console file from earlier attempts, after which this one's output starts. */
  console_offset: z.int().nonnegative(),
  /** Checkpoints and logs set aside before the start. */
  set_aside: z.array(z.string()),
  /** Set before `train stop` ends it, so that the end can be attributed. */
  stop_requested: z.boolean(),
  /** Null while it runs, or until it is checked. */
  end: attemptEndSchema.nullable(),
});
export type JobAttempt = z.infer<typeof jobAttemptSchema>;

/** Output paths of a trainer, relative to the job's folder. */
const jobOutputSchema = z.object({
  metrics_file: z.string(),
  /**
   * Lines of earlier attempts, if the trainer truncates its file at each start; newer lines of a step replace older
   * ones.
   */
  earlier_metrics_file: z.string().nullable(),
  /** Trainer's output, both streams. */
  console_file: z.string(),
  checkpoint_folder: z.string(),
});
export type JobOutput = z.infer<typeof jobOutputSchema>;

/** `train/<job>/job.json`: what was started, its inputs and its result. Replaced as a whole at each change. */
export const jobRecordSchema = z.object({
  format_version: z.literal(1),
  run: z.string(),
  job: z.string(),
  coa_distill_version: z.string(),
  /** Content id of the run's configuration. */
  config_hash: z.string(),
  plan: trainingPlanSchema,
  /** Start command in the job's folder; the environment contains no secret. */
  start: z.object({ argv: z.array(z.string()).min(1), env: z.record(z.string(), z.string()) }),
  /** Output paths of the trainer, relative to the job's folder. */
  follow: jobOutputSchema,
  /** Gates that could not be checked here, each with the reason. */
  unchecked: z.array(z.string()),
  /** Package versions reported by the trainer's Python; empty if unavailable. */
  versions: z.record(z.string(), z.string()),
  attempts: z.array(jobAttemptSchema),
});
export type JobRecord = z.infer<typeof jobRecordSchema>;

/** Figures of a reinforcement learning step; null if the trainer does not log them. */
export interface RlFigures {
  /** Mean of the scored rollouts. */
  readonly reward: number | null;
  /** Share of right answers among them. */
  readonly pass_rate: number | null;
  readonly entropy: number | null;
  /** From the initial weights if they are kept, otherwise from the sampling ones. */
  readonly kl: number | null;
  /** Mean tokens of a response. */
  readonly length: number | null;
  /** Mean tool calls of a rollout. */
  readonly calls: number | null;
  /** Excluded rollouts of the step. */
  readonly failed: number | null;
  readonly unscored: number | null;
  /** Share of tasks whose rollouts differ in reward, and so contribute to learning. */
  readonly mixed_groups: number | null;
}

/** Logged values of one optimiser step. */
export interface TrainingStep {
  readonly step: number;
  /** `null` if the loss is NaN or infinite. */
  readonly loss: number | null;
  readonly learning_rate: number | null;
  readonly rl?: RlFigures;
}

/** Log of a whole job, resumed attempts included. */
export interface TrainingCurve {
  /** One entry per step: after a return to a checkpoint the later entry counts. */
  readonly steps: readonly TrainingStep[];
  readonly validation: readonly { readonly step: number; readonly loss: number }[];
  /** Step of the newest entry, which is lower after a return to a checkpoint; 0 before the first. */
  readonly latest_step: number;
  /** Time of this attempt at the newest entry, without model loading; null if not logged. */
  readonly elapsed_ms: number | null;
  /** Total steps by the trainer's own count; null if not logged. */
  readonly total_steps: number | null;
}
