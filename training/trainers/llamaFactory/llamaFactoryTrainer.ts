import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { type JsonValue, safeParseJson } from '../../../base/json.ts';
import type {
  CheckpointRules,
  EpochSteps,
  EpochWork,
  SettingRules,
  Trainer,
  TrainerLogEntry,
  TrainingFootprint,
} from '../../../contract/trainer.ts';
import { readerTable } from '../../../output/readers/readerTable.ts';
import { sftGates } from '../../gates/sftGates.ts';
import { refusals, refusedFor, setInstead, trainingArgumentsSetElsewhere } from '../refusedKeys.ts';
import { torchFailures } from '../torchFailures.ts';
import { llamaFactoryArguments } from './llamaFactoryArguments.ts';
import { deepspeedFile, llamaFactoryCommand, llamaFactoryKeys } from './llamaFactoryCommand.ts';

/** Written last into a checkpoint (transformers, `Trainer._save_checkpoint`). */
const STATE_FILE = 'trainer_state.json';

/** It goes on from the folder of the highest number, whole or not: torn ones have to be set aside. */
const llamaFactoryCheckpoints: CheckpointRules = {
  modelFolder: '.',
  nameOf,
  stepOf(name) {
    const step = /^checkpoint-(\d+)$/.exec(name)?.[1];
    return step === undefined ? undefined : Number(step);
  },
  async wholeSteps(folder, steps) {
    const isWhole = await Promise.all(steps.map((step) => hasState(join(folder, nameOf(step)))));
    return steps.filter((_, at) => isWhole[at]);
  },
};

function nameOf(step: number): string {
  return `checkpoint-${step}`;
}

async function hasState(checkpoint: string): Promise<boolean> {
  const text = await readFile(join(checkpoint, STATE_FILE), 'utf8').catch(() => '');
  return safeParseJson(text).ok;
}

/** What `training` may ask of LLaMA-Factory. */
const llamaFactorySettings: SettingRules = {
  schedulers: ['linear', 'cosine', 'constant'],
  wholeEpochs: false,
  modelKey: 'model_name_or_path',
  keyForm: /^[a-z][a-z0-9_]*$/,
  expectedKey: "a key of LLaMA-Factory's configuration, such as weight_decay",
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'template dataset dataset_dir eval_dataset media_dir tokenized_path streaming packing neat_packing',
      'mask_history train_on_prompt max_samples val_size mix_strategy interleave_probs ignore_pad_token_for_loss',
      'tool_format default_system enable_thinking preserve_thinking stage do_train use_mca efficient_eos',
      'new_special_tokens add_tokens add_special_tokens resize_vocab',
      // Of AFM's fork.
      'ignore_observation ignore_observation_token',
    ),
    cutoff_len: refusals.length,
    ...refusedFor(
      refusals.folder,
      'output_dir overwrite_output_dir logging_dir logging_steps logging_strategy logging_nan_inf_filter',
    ),
    ...refusedFor(refusals.resume, 'resume_from_checkpoint'),
    ...refusedFor(refusals.steps, 'dataloader_drop_last early_stopping_steps accelerator_config'),
    ...trainingArgumentsSetElsewhere,
    use_ray: setInstead('launcher'),
  },
  problemOf,
};

/** Keys of SwanLab without it, and a DeepSpeed configuration that the job's folder does not have. */
function problemOf(set: Readonly<Record<string, JsonValue>>): string | undefined {
  const idle = Object.keys(set).find((key) => key.startsWith('swanlab_'));
  if (idle !== undefined && set.use_swanlab !== true)
    return `${idle}: does nothing without use_swanlab; add --set use_swanlab=true`;
  const { deepspeed } = set;
  return typeof deepspeed === 'string' && !isAbsolute(deepspeed) && deepspeed !== deepspeedFile
    ? `deepspeed: expected an absolute path, since the job runs in its own folder, got ${deepspeed}; without it the job has ZeRO stage 3 in ${deepspeedFile}`
    : undefined;
}

/** A release is taken with its own post-releases only: each 0.9.x changed templates and arguments. */
const tested = {
  package: readerTable['llama-factory'].package,
  version: readerTable['llama-factory'].version,
  below: '0.9.6',
};

/** Stock LLaMA-Factory on finished ids and labels, by `tokenized_path`. */
export const llamaFactoryTrainer: Trainer = {
  name: 'llama-factory',
  title: 'LLaMA-Factory',
  method: 'sft',
  format: 'tokenized',
  tested,
  settings: llamaFactorySettings,
  arguments: llamaFactoryArguments,
  keysOf: llamaFactoryKeys,
  epochOf,
  footprintOf,
  notesOn: () => [],
  commandOf: llamaFactoryCommand,
  logEntryOf,
  checkpoints: llamaFactoryCheckpoints,
  failures: torchFailures,
  gates: sftGates({
    title: 'LLaMA-Factory',
    tested,
    settings: llamaFactorySettings,
    arguments: llamaFactoryArguments,
    randomWeightsKey: 'train_from_scratch',
    keepOneCheckpoint: 'save_total_limit=1',
  }),
  loadProgram: `
def load(request):
    from datasets import load_from_disk

    loaded = load_from_disk(path("tokenized"))
    splits = loaded if isinstance(loaded, dict) else {"train": loaded}
    return {
        "rows": len(splits["train"]),
        "validation_rows": len(splits["validation"]) if "validation" in splits else 0,
        "longest": max(longest(split.data.column("input_ids")) for split in splits.values()),
    }
`,
};

/**
 * Trainer of transformers (`set_initial_training_values`): the last batches may be smaller, and make a step all the
 * same. With several processes rows are repeated until each has as many.
 */
function epochOf({ rows, processes, rowsPerDevice, accumulationSteps }: EpochWork): EpochSteps {
  const microBatches = Math.ceil(rows / (processes * rowsPerDevice));
  return { steps: Math.ceil(microBatches / accumulationSteps), rowsLeftOut: 0 };
}

/** DeepSpeed saves bfloat16 weights beside three float32 values of each. */
function footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const { save_total_limit: limit } = keys;
  const savesOptimizer = keys.save_only_model !== true;
  return {
    fullFineTuning: (keys.finetuning_type ?? 'full') === 'full',
    sharded: Boolean(keys.deepspeed),
    checkpointBytes: savesOptimizer ? 2 + 12 : 2,
    savesOptimizer,
    // transformers (`rotate_checkpoints`) deletes when the new one is there; zero is no limit.
    maxCheckpoints: typeof limit === 'number' && limit > 0 ? limit + 1 : Number.POSITIVE_INFINITY,
  };
}

/** A line of `trainer_log.jsonl` in the output folder. The last line of a training has no loss. */
const logLineSchema = z.object({
  current_steps: z.int().nonnegative(),
  total_steps: z.int().nonnegative(),
  loss: z.number().nullish(),
  eval_loss: z.number().nullish(),
  lr: z.number().nullish(),
  /** Since this attempt's training began, as Python writes a time: `0:01:07`, `1 day, 2:03:04`. */
  elapsed_time: z.string().nullish(),
});

function logEntryOf(line: unknown): TrainerLogEntry | undefined {
  const { success, data } = logLineSchema.safeParse(line);
  if (!success) return undefined;
  return {
    step: data.current_steps,
    ...(data.loss !== undefined && { loss: data.loss }),
    learningRate: data.lr ?? null,
    validationLoss: data.eval_loss ?? null,
    totalSteps: data.total_steps,
    elapsedMs: pythonTimeMs(data.elapsed_time ?? ''),
  };
}

/** A time such as `0:01:07` or `1 day, 2:03:04` in milliseconds; null for other text. */
function pythonTimeMs(text: string): number | null {
  const parts = /^(?:(\d+) days?, )?(\d+):(\d\d):(\d\d)$/.exec(text);
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}
