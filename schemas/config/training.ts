import { z } from 'zod';
import type { JsonValue } from '../../base/json.ts';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import { isRlTrainer, launcherNames, trainerNames } from '../training/jobNames.ts';
import { trainingPresetNames, trainingPresets } from '../training/presets.ts';
import { rlPresets } from '../training/rlPresets.ts';
import { key, keyOf, plainValues, positive, positiveInt, share, wholeNumber } from './keyMeaning.ts';
import { kubernetesSchema, lineSchema, raySchema, slurmSchema } from './launchers.ts';
import { rlTrainingSchema } from './rlTraining.ts';

// ignore_observation_token of AFM's LLaMA-Factory fork is a word of the text, not a secret.
const secretName =
  '(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|password|credentials?|(?<!observation_)token|webhook[_-]?url)';
/** Keys of trackers and hubs; their values are secrets. */
const secretKey = new RegExp(`(?:^|[^a-z0-9])${secretName}$`, 'i');
/** Such a key with its value inside a text: environment variable, query, JSON. */
const secretText = new RegExp(`(?:^|[^a-z0-9])${secretName}["'\\\\]*\\s*[=:]\\s*\\S`, 'i');

/**
 * `training.set`. Allowed keys depend on the trainer; secrets are refused because the values are written to files.
 */
const trainerSettingsSchema = plainValues.superRefine((set, context) => {
  for (const path of secretPaths(set)) {
    context.addIssue({
      code: 'custom',
      path,
      message:
        'no keys and tokens, which are never written into files: give it to the trainer as an environment variable (WANDB_API_KEY, SWANLAB_API_KEY, HF_TOKEN)',
    });
  }
});

/** Paths of secret values, by key name or containing text. */
function secretPaths(value: JsonValue, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return secretText.test(value) ? [[...path]] : [];
  return childrenOf(value).flatMap(([key, child]) => {
    const here = [...path, key];
    if (secretText.test(key) || (secretKey.test(key) && holdsText(child))) return [here];
    return secretPaths(child, here);
  });
}

/** Booleans are not secrets (`data.balance_dp_token` of verl). */
function holdsText(value: JsonValue): boolean {
  if (typeof value === 'string' || typeof value === 'number') return true;
  return childrenOf(value).some(([, child]) => holdsText(child));
}

function childrenOf(value: JsonValue): [string, JsonValue][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).map(([key, child]) => [key, child ?? null]);
}

const exportKey = keyOf('export');
const fromPreset = "absent: the preset's";

const trainingSectionSchema = z.strictObject({
  trainer: key(z.enum(trainerNames).default('llama-factory'), 'Trainer that the job runs'),
  launcher: key(z.enum(launcherNames).default('local'), 'Where the job is started'),
  model: exportKey(
    lineSchema.optional(),
    `Name or folder of the model that is trained; ${fromPreset}, for reinforcement learning AFM's fine-tuned one`,
  ),
  preset: exportKey(
    z.enum(trainingPresetNames).nullable().default(null),
    'Published hyper-parameters, for the keys that are absent; null: those of afm-web-7b with a cosine schedule, and GRPO on one machine',
  ),
  nodes: key(positiveInt.default(1), 'Number of machines'),
  gpus_per_node: key(
    wholeNumber.nullable().default(null),
    'GPUs of each machine; 0: on the CPU; null: those of this machine where the job runs on it, else 8',
  ),
  processes_per_node: key(
    positiveInt.nullable().default(null),
    'Processes on each machine; null: one for each GPU, one without GPUs',
  ),
  learning_rate: exportKey(positive.optional(), `Peak learning rate; ${fromPreset}`),
  warmup_ratio: exportKey(share.optional(), `Share of the steps that warm up; ${fromPreset}`),
  lr_scheduler: exportKey(
    z.enum(['linear', 'cosine', 'constant']).optional(),
    `Schedule of the learning rate; verl knows no linear; ${fromPreset}`,
  ),
  epochs: exportKey(positive.optional(), `Times that every row is trained; ${fromPreset}`),
  max_steps: key(
    positiveInt.nullable().default(null),
    "Maximum optimiser steps; null: by the epochs, for reinforcement learning the preset's",
  ),
  per_device_batch_size: exportKey(positiveInt.optional(), `Rows of one device in one pass; ${fromPreset}`),
  gradient_accumulation_steps: exportKey(positiveInt.optional(), `Passes before a step; ${fromPreset}`),
  save_steps: key(
    positiveInt.nullable().default(null),
    'Steps between two checkpoints; null: one at the end of each epoch, ten in all of reinforcement learning',
  ),
  seed: exportKey(wholeNumber.default(42), 'Seed of the training job'),
  set: key(
    trainerSettingsSchema.default({}),
    "More keys of the trainer's own configuration; those that would break masks or plan are refused",
  ),
  python: key(lineSchema.nullable().default(null), 'Python of the trainer; null: python3 on the PATH'),
  rl: rlTrainingSchema.prefault({}).describe('Reinforcement learning, for trainers of that method'),
  slurm: slurmSchema.prefault({}).describe('Lines of the Slurm batch script'),
  ray: raySchema.prefault({}).describe('The Ray cluster that takes the job'),
  kubernetes: kubernetesSchema.prefault({}).describe('The Kubernetes manifest'),
});

/** Defaults without a preset: AFM's web 7B run with the scheduler that both trainers support. */
const defaults = { ...trainingPresets['afm-web-7b'].hyper_parameters, lr_scheduler: 'cosine' as const };

/** The `training` section: the planned job. Missing hyper-parameters come from the preset. */
export const trainingConfigSchema = trainingSectionSchema.transform((section) => {
  const { preset: name, trainer } = section;
  const figures = name === null ? defaults : trainingPresets[name].hyper_parameters;
  const start = name !== null && isRlTrainer(trainer) && { model: rlPresets[name].model };
  return { ...section, ...figures, ...start, ...withoutAbsent(section) };
});
export type TrainingConfig = z.infer<typeof trainingConfigSchema>;
