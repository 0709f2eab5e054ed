import { z } from 'zod';
import { jsonValueSchema } from '../../base/json.ts';
import { rlAlgorithms } from '../config/rlTraining.ts';
import { launcherNames, trainerNames } from './jobNames.ts';

/** How a job is expected to run, worked out before anything starts; each launcher renders this one plan. */
export const trainingPlanSchema = z.object({
  trainer: z.enum(trainerNames),
  launcher: z.enum(launcherNames),
  /** Name or absolute folder. */
  model: z.string(),
  /** Billions of weights, from the model's folder or its name; null when neither tells. */
  model_billion_parameters: z.number().positive().nullable(),
  preset: z
    .object({
      name: z.string(),
      source: z.string(),
      /** Machines and GPUs that the source names; null where it names none. */
      published_hardware: z
        .object({ nodes: z.int().positive(), gpus_per_node: z.int().positive() })
        .nullable(),
      not_published: z.string(),
    })
    .nullable(),
  dataset: z.object({
    /** Absolute. */
    folder: z.string(),
    /** SHA-256 of its manifest: the job's rows, to the byte. */
    manifest_sha256: z.string(),
    rows: z.int().nonnegative(),
    validation_rows: z.int().nonnegative(),
    tokens: z.int().nonnegative(),
    trained_tokens: z.int().nonnegative(),
    cutoff_len: z.int().positive(),
  }),
  /** What the trainer is told, under its own names, presets and `--set` included. */
  hyper_parameters: z.record(z.string(), jsonValueSchema),
  nodes: z.int().positive(),
  gpus_per_node: z.int().nonnegative(),
  /** Processes a machine; 1 without GPUs unless told otherwise. */
  processes_per_node: z.int().positive(),
  batch: z.object({
    rows_per_device: z.int().positive(),
    gradient_accumulation_steps: z.int().positive(),
    /** Rows an optimiser step. */
    rows_per_step: z.int().positive(),
  }),
  steps: z.object({
    per_epoch: z.int().nonnegative(),
    total: z.int().nonnegative(),
    /** Rows that no step of an epoch sees, where the trainer leaves out a last partial batch. */
    rows_left_out: z.int().nonnegative(),
  }),
  epochs: z.number().positive(),
  /** Of reinforcement learning; absent for other methods. */
  rl: z
    .object({
      algorithm: z.enum(rlAlgorithms),
      engine: z.string(),
      rollouts: z.int().positive(),
      max_prompt_tokens: z.int().positive(),
      max_response_tokens: z.int().positive(),
      max_generations: z.int().positive(),
      /** Most tokens that a step samples, trains and reads. */
      tokens_per_step: z.int().positive(),
      /** The machine that trains has the model so many times: actor, and critic and reference where there are. */
      models: z.array(z.enum(['actor', 'critic', 'reference'])),
      /** GPUs per copy of the engine. */
      tensor_parallel: z.int().positive(),
    })
    .optional(),
  /** Estimates, with the rule that gives each in the documentation; null where the model's size is not known. */
  estimate: z.object({
    gpu_memory_gb: z.number().nonnegative().nullable(),
    hours: z.number().nonnegative().nullable(),
    /** Size of one checkpoint. */
    checkpoint_gb: z.number().nonnegative().nullable(),
    /** Most that are there at a time. */
    checkpoints: z.int().nonnegative(),
  }),
  /** What a reader should know besides, one sentence each. */
  notes: z.array(z.string()),
});
export type TrainingPlan = z.infer<typeof trainingPlanSchema>;
