import { z } from 'zod';
import { trainingPlanSchema } from './trainingPlan.ts';

/**
 * What a job is found again by, after the process that started it has ended. Each launcher has members of its own, which
 * it alone reads.
 */
export const jobHandleSchema = z.looseObject({ kind: z.string() });
export type JobHandle = z.infer<typeof jobHandleSchema>;

/** The causes of a crash that are recognised. */
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

/** Why an attempt ended. */
const attemptEndSchema = z.object({
  /** `lost`: it has ended, and nothing tells how. */
  outcome: z.enum(['finished', 'failed', 'stopped', 'lost']),
  exit_code: z.int().nullable(),
  /** Null when nothing is recognised or nothing failed. */
  cause: z.enum(Object.keys(crashCauses) as [CrashCause, ...CrashCause[]]).nullable(),
  last_words: z.string(),
});
export type AttemptEnd = z.infer<typeof attemptEndSchema>;

/** One start of a job; a resumed job has several. */
const jobAttemptSchema = z.object({
  handle: jobHandleSchema,
  started_at: z.iso.datetime(),
  /** Step of the checkpoint it went on from; 0 for a fresh start. */
  from_step: z.int().nonnegative(),
  /** What earlier attempts left in the console file, in bytes: what this one printed begins there. */
  console_offset: z.int().nonnegative(),
  /** What was done to the folder before the start: checkpoints and logs that were set aside. */
  set_aside: z.array(z.string()),
  /** Set before `train stop` ends it, so that whoever sees the end knows why. */
  stop_requested: z.boolean(),
  /** Null while it runs, or nobody has looked. */
  end: attemptEndSchema.nullable(),
});
export type JobAttempt = z.infer<typeof jobAttemptSchema>;

/** Where a trainer writes; paths inside the job's folder. */
const jobOutputSchema = z.object({
  metrics_file: z.string(),
  /** Lines of earlier attempts, where the trainer empties its file at each start; those of the same step are older. */
  earlier_metrics_file: z.string().nullable(),
  /** What the trainer prints, both streams. */
  console_file: z.string(),
  checkpoint_folder: z.string(),
});
export type JobOutput = z.infer<typeof jobOutputSchema>;

/** `train/<job>/job.json`: what was started, from what, and what became of it. Replaced as a whole at each change. */
export const jobRecordSchema = z.object({
  format_version: z.literal(1),
  run: z.string(),
  job: z.string(),
  coa_distill_version: z.string(),
  /** Content id of the run's configuration. */
  config_hash: z.string(),
  plan: trainingPlanSchema,
  /** What is started, in the job's folder; the environment holds no secret. */
  start: z.object({ argv: z.array(z.string()).min(1), env: z.record(z.string(), z.string()) }),
  /** Where the trainer writes; paths inside the job's folder. */
  follow: jobOutputSchema,
  /** Gates that could not be checked from here, each with the reason. */
  unchecked: z.array(z.string()),
  /** Versions that the trainer's Python reports, by package; empty where it can't be asked. */
  versions: z.record(z.string(), z.string()),
  attempts: z.array(jobAttemptSchema),
});
export type JobRecord = z.infer<typeof jobRecordSchema>;

/** What a step of reinforcement learning was like; null where the trainer does not log it. */
export interface RlFigures {
  /** Mean of the scored rollouts. */
  readonly reward: number | null;
  /** Share of right answers among them. */
  readonly pass_rate: number | null;
  readonly entropy: number | null;
  /** From the first weights where they are kept, else from those that sampled. */
  readonly kl: number | null;
  /** Mean tokens of a response. */
  readonly length: number | null;
  /** Mean tool calls of a rollout. */
  readonly calls: number | null;
  /** Rollouts of the step that were left out. */
  readonly failed: number | null;
  readonly unscored: number | null;
  /** Share of tasks whose rollouts are not all worth the same: those that teach something. */
  readonly mixed_groups: number | null;
}

/** What a trainer logged of one optimiser step. */
export interface TrainingStep {
  readonly step: number;
  /** Null where it was not a number: NaN or infinite. */
  readonly loss: number | null;
  readonly learning_rate: number | null;
  readonly rl?: RlFigures;
}

/** What a trainer logged of a whole job, resumed attempts included. */
export interface TrainingCurve {
  /** By step, each once: where a resumed job went back to a checkpoint, the later entry counts. */
  readonly steps: readonly TrainingStep[];
  readonly validation: readonly { readonly step: number; readonly loss: number }[];
  /** Step of the newest entry, which is below earlier ones after a job went back to a checkpoint; 0 before the first. */
  readonly latest_step: number;
  /** Time of this attempt at the newest entry, model loading left out; null where the trainer does not log it. */
  readonly elapsed_ms: number | null;
  /** Steps in all by the trainer's own count; null where it does not log it. */
  readonly total_steps: number | null;
}
