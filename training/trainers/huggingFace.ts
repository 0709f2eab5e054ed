import { join } from 'node:path';
import { z } from 'zod';
import { readPlain } from '../../base/files/plainFile.ts';
import { type JsonObject, type JsonValue, jsonValueSchema, safeParseJson } from '../../base/json.ts';
import type { CheckpointRules, EpochSteps, EpochWork, JobSettings } from '../../contract/trainer.ts';

/** Output folder of trainers based on Hugging Face's `Trainer`, in the job's folder. */
export const huggingFaceOutput = 'output';

/** `TrainingArguments` keys of a job for trainers based on them; without `training.set`. */
export function trainingArguments({ training, files, gpusPerNode, epochs }: JobSettings) {
  const onGpu = gpusPerNode > 0;
  return {
    model_name_or_path: training.model,
    ...(files.validationRows > 0 && {
      eval_strategy: 'epoch',
      per_device_eval_batch_size: training.per_device_batch_size,
    }),
    output_dir: huggingFaceOutput,
    num_train_epochs: epochs,
    ...(training.max_steps !== null && { max_steps: training.max_steps }),
    per_device_train_batch_size: training.per_device_batch_size,
    gradient_accumulation_steps: training.gradient_accumulation_steps,
    learning_rate: training.learning_rate,
    lr_scheduler_type: training.lr_scheduler,
    warmup_ratio: training.warmup_ratio,
    bf16: onGpu,
    ...(!onGpu && { use_cpu: true }),
    logging_steps: 1,
    // NaN losses must stay visible.
    logging_nan_inf_filter: false,
    ...(training.save_steps === null
      ? { save_strategy: 'epoch' }
      : { save_strategy: 'steps', save_steps: training.save_steps }),
    report_to: 'none',
    seed: training.seed,
  };
}

/**
 * Trainer of transformers (`set_initial_training_values`): smaller last batches still make a step. With several
 * processes, rows are repeated until all have the same number.
 */
export function huggingFaceEpoch(work: EpochWork): EpochSteps {
  const microBatches = Math.ceil(work.rows / (work.processes * work.rowsPerDevice));
  return { steps: Math.ceil(microBatches / work.accumulationSteps), rowsLeftOut: 0 };
}

/**
 * Maximum checkpoints at a time: transformers (`rotate_checkpoints`) deletes after saving the new one; zero means no
 * limit.
 */
export function keptCheckpoints({ save_total_limit: limit }: Readonly<Record<string, JsonValue>>): number {
  return typeof limit === 'number' && limit > 0 ? limit + 1 : Number.POSITIVE_INFINITY;
}

/**
 * transformers resumes from the folder with the highest number, even if incomplete, so torn ones must be moved aside.
 */
export const huggingFaceCheckpoints: CheckpointRules = {
  modelFolder: '.',
  prefix: 'checkpoint-',
  async wholeSteps(folder, steps) {
    // Written last into a checkpoint (transformers, `Trainer._save_checkpoint`).
    const states = steps.map((step) => join(folder, `checkpoint-${step}`, 'trainer_state.json'));
    const texts = await Promise.all(states.map((path) => readPlain(path).catch(() => '')));
    return steps.filter((_, at) => safeParseJson(texts[at]!.toString()).ok);
  },
};

/**
 * Program with which the gates load a dataset by its columns of ids.
 *
 * @param path inside the dataset folder
 * @param saved true for a `datasets` folder, false for coa-distill's own files
 */
export function idsProbe(path: string, saved: boolean, columns: readonly string[] = ['input_ids']) {
  return { load: 'ids', options: { path, saved, columns: [...columns] } };
}

export const pairColumns = ['chosen_input_ids', 'rejected_input_ids'];

const logLineSchema = z.object({
  step: z.int().nonnegative(),
  total_steps: z.int().nonnegative().nullable().default(null),
  data: z.record(z.string(), jsonValueSchema),
});

/** Parses a log line of verl's `file` logger or of coa-distill's programs; undefined for other lines. */
export function stepLineOf(
  line: unknown,
): { step: number; totalSteps: number | null; data: JsonObject } | undefined {
  const { success, data: read } = logLineSchema.safeParse(line);
  return success ? { step: read.step, totalSteps: read.total_steps, data: read.data } : undefined;
}

export function figureOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
