import { z } from 'zod';
import { configPathSchema } from './paths.ts';

/** Qwen2.5's own default system prompt, which LLaMA-Factory's `template: qwen` writes too, so all formats agree. */
export const qwenSystemPrompt = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';

/** The `dataset` section. */
export const datasetConfigSchema = z.strictObject({
  system_prompt: z.string().default(qwenSystemPrompt).describe('System turn of every row'),
  tokenizer: configPathSchema.default('qwen2.5').describe('qwen2.5, or the path of a tokenizer.json'),
  cutoff_len: z
    .int()
    .positive()
    .default(32_768)
    .describe('Rows of more tokens are dropped: trainers must never truncate'),
});
/** See {@link datasetConfigSchema}. */
export type DatasetConfig = z.infer<typeof datasetConfigSchema>;

/** The `training` section: the job that is rendered. Defaults are AFM's web 7B run. */
export const trainingConfigSchema = z.strictObject({
  model: z.string().default('Qwen/Qwen2.5-7B-Instruct').describe('Model name or folder'),
  learning_rate: z.number().positive().default(1.4e-5),
  warmup_ratio: z.number().min(0).max(1).default(0.1),
  epochs: z.number().positive().default(4),
  per_device_batch_size: z.int().positive().default(1),
  gradient_accumulation_steps: z.int().positive().default(16),
  seed: z.int().nonnegative().default(42),
});
/** See {@link trainingConfigSchema}. */
export type TrainingConfig = z.infer<typeof trainingConfigSchema>;
