import { z } from 'zod';
import { jsonValueSchema } from '../../base/json.ts';
import { rlAlgorithms } from '../config/rlTraining.ts';
import { launcherNames, trainerNames } from './jobNames.ts';

/** Expected course of a job, computed before the start; each launcher renders this one plan. */
export const trainingPlanSchema = z.object({
  trainer: z.enum(trainerNames),
  launcher: z.enum(launcherNames),
  model: z.string(),
  /** Billions of weights, from the model's folder or name; null if unknown. */
  model_billion_parameters: z.number().positive().nullable(),
  preset: z
    .object({
      name: z.string(),
      source: z.string(),
      /** Machines and GPUs in the source; null if not stated. */
      published_hardware: z
        .object({ nodes: z.int().positive(), gpus_per_node: z.int().positive() })
        .nullable(),
      not_published: z.string(),
    })
    .nullable(),
  dataset: z.object({
    folder: z.string(),
    /** SHA-256 of its manifest: the job's rows, to the byte. */
    manifest_sha256: z.string(),
    rows: z.int().nonnegative(),
    validation_rows: z.int().nonnegative(),
    tokens: z.int().nonnegative(),
    trained_tokens: z.int().nonnegative(),
    cutoff_len: z.int().positive(),
  }),
  /** Native trainer settings, presets and `--set` included. */
  hyper_parameters: z.record(z.string(), jsonValueSchema),
  nodes: z.int().positive(),
  gpus_per_node: z.int().nonnegative(),
  /** Processes per machine; default without GPUs: 1. */
  processes_per_node: z.int().positive(),
  batch: z.object({
    rows_per_device: z.int().positive(),
    gradient_accumulation_steps: z.int().positive(),
    /** Rows per optimiser step. */
    rows_per_step: z.int().positive(),
  }),
  steps: z.object({
    per_epoch: z.int().nonnegative(),
    total: z.int().nonnegative(),
    /** Rows per epoch lost if the trainer drops a last partial batch. */
    rows_left_out: z.int().nonnegative(),
  }),
  epochs: z.number().positive(),
  /** Figures of reinforcement learning; absent for other methods. */
  rl: z
    .object({
      algorithm: z.enum(rlAlgorithms),
      engine: z.string(),
      rollouts: z.int().positive(),
      max_prompt_tokens: z.int().positive(),
      max_response_tokens: z.int().positive(),
      max_generations: z.int().positive(),
      /** Maximum tokens that a step samples, trains and reads. */
      tokens_per_step: z.int().positive(),
      /** Copies of the model on the training machine: actor, and critic and reference if used. */
      models: z.array(z.enum(['actor', 'critic', 'reference'])),
      /** GPUs per copy of the engine. */
      tensor_parallel: z.int().positive(),
    })
    .optional(),
  /** Estimates by the rules in the documentation; null if the model's size is unknown. */
  estimate: z.object({
    gpu_memory_gb: z.number().nonnegative().nullable(),
    hours: z.number().nonnegative().nullable(),
    /** Size of one checkpoint. */
    checkpoint_gb: z.number().nonnegative().nullable(),
    /** Maximum checkpoints at a time. */
    checkpoints: z.int().nonnegative(),
  }),
  /** Further remarks, one sentence each. */
  notes: z.array(z.string()),
});
export type TrainingPlan = z.infer<typeof trainingPlanSchema>;
