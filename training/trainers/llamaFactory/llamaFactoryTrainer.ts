import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { JsonValue } from '../../../base/json.ts';
import type { SettingRules, Trainer, TrainerLogEntry, TrainingFootprint } from '../../../contract/trainer.ts';
import { datasetReaders } from '../../../output/dataset/datasetReaders.ts';
import { huggingFaceCheckpoints, huggingFaceEpoch, idsProbe, keptCheckpoints } from '../huggingFace.ts';
import {
  argumentForm,
  refusals,
  refusedFor,
  setInstead,
  trainingArgumentsSetElsewhere,
} from '../refusedKeys.ts';
import { torchFailures } from '../torchFailures.ts';
import { deepspeedFile, llamaFactoryCommand, llamaFactoryKeys } from './llamaFactoryCommand.ts';

const llamaFactorySettings: SettingRules = {
  schedulers: ['linear', 'cosine', 'constant'],
  wholeEpochs: false,
  modelKey: 'model_name_or_path',
  keyForm: argumentForm,
  expectedKey: "a key of LLaMA-Factory's configuration, such as weight_decay",
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'template dataset dataset_dir eval_dataset media_dir tokenized_path streaming packing neat_packing',
      'mask_history train_on_prompt max_samples val_size mix_strategy interleave_probs ignore_pad_token_for_loss',
      'tool_format default_system enable_thinking preserve_thinking stage do_train use_mca efficient_eos',
      'new_special_tokens add_tokens add_special_tokens resize_vocab',
      // Keys of AFM's fork.
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

/** Rejects SwanLab keys without SwanLab, and a DeepSpeed configuration that is missing in the job's folder. */
function problemOf(set: Readonly<Record<string, JsonValue>>): string | undefined {
  const idle = Object.keys(set).find((key) => key.startsWith('swanlab_'));
  if (idle !== undefined && set.use_swanlab !== true)
    return `${idle}: does nothing without use_swanlab; add --set use_swanlab=true`;
  const { deepspeed } = set;
  return typeof deepspeed === 'string' && !isAbsolute(deepspeed) && deepspeed !== deepspeedFile
    ? `deepspeed: expected an absolute path, since the job runs in its own folder, got ${deepspeed}; without it the job has ZeRO stage 3 in ${deepspeedFile}`
    : undefined;
}

/** Unmodified LLaMA-Factory on ids and labels, through `tokenized_path`. */
export const llamaFactoryTrainer: Trainer = {
  name: 'llama-factory',
  title: 'LLaMA-Factory',
  method: 'sft',
  format: 'tokenized',
  // A release covers only its post-releases, since each 0.9.x changed templates and arguments.
  tested: {
    package: datasetReaders['llama-factory'].package,
    version: datasetReaders['llama-factory'].version,
    below: '0.9.6',
  },
  settings: llamaFactorySettings,
  probe: { keys_of: 'llama_factory_keys', ...idsProbe('tokenized', true) },
  keysOf: llamaFactoryKeys,
  epochOf: huggingFaceEpoch,
  footprintOf,
  notesOn: () => [],
  commandOf: llamaFactoryCommand,
  logEntryOf,
  checkpoints: huggingFaceCheckpoints,
  failures: torchFailures,
  randomWeightsKey: 'train_from_scratch',
  keepOneCheckpoint: 'save_total_limit=1',
};

/** DeepSpeed saves bfloat16 weights and three float32 values for each. */
function footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const savesOptimizer = keys.save_only_model !== true;
  return {
    fullFineTuning: (keys.finetuning_type ?? 'full') === 'full',
    sharded: Boolean(keys.deepspeed),
    checkpointBytes: savesOptimizer ? 2 + 12 : 2,
    savesOptimizer,
    maxCheckpoints: keptCheckpoints(keys),
  };
}

/** Line of `trainer_log.jsonl` in the output folder. The last line of a training has no loss. */
const logLineSchema = z.object({
  current_steps: z.int().nonnegative(),
  total_steps: z.int().nonnegative(),
  loss: z.number().nullish(),
  eval_loss: z.number().nullish(),
  lr: z.number().nullish(),
  /** Time since this attempt's training began, in Python's format: `0:01:07`, `1 day, 2:03:04`. */
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

/** Parses a time such as `0:01:07` or `1 day, 2:03:04` to milliseconds; null for other text. */
function pythonTimeMs(text: string): number | null {
  const parts = /^(?:(\d+) days?, )?(\d+):(\d\d):(\d\d)$/.exec(text);
  if (!parts) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}
