import { z } from 'zod';
import { launcherNames, trainerNames } from '../training/jobNames.ts';
import { trainingPresetNames, trainingPresets } from '../training/presets.ts';
import { serviceUrlSchema } from './serviceUrl.ts';
import { slurmOptionSchema } from './slurmOption.ts';
import { trainerSettingsSchema } from './trainerSettings.ts';

/** One line of text that can stand in scripts and configurations: no control characters, no broken characters. */
const lineSchema = z
  .string()
  .min(1)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line of text, without control characters');

/** A value of an `#SBATCH` line, which knows no quoting that could be relied on. */
const sbatchValueSchema = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cs}"'`\\#-][^\s\p{Cc}\p{Cs}"'`\\#]*$/u, 'no spaces, quotes, backslashes or #');

/** The name of a Kubernetes object. */
const dnsLabelSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits and dashes, at most 63');

const environmentNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');

/** `training.torchrun`: several machines without a scheduler, the same script started on each. */
const torchrunSchema = z.strictObject({
  rendezvous: z
    .string()
    .regex(/^[A-Za-z0-9.-]+:\d{1,5}$/, 'HOST:PORT')
    .nullable()
    .default(null)
    .describe('HOST:PORT where the machines meet, a port of the first one; null: RDZV_ENDPOINT says'),
});

/** `training.slurm`: the lines of the batch script. */
const slurmSchema = z.strictObject({
  partition: sbatchValueSchema.nullable().default(null),
  account: sbatchValueSchema.nullable().default(null),
  time: z
    .string()
    .regex(/^\d+(-\d+)?(:\d+){0,2}$/, 'a time as Slurm writes it, such as 2-12:00:00')
    .nullable()
    .default(null)
    .describe("Time limit, as 12:00:00 or 2-00:00:00; null: the partition's"),
  gres: sbatchValueSchema
    .nullable()
    .default('gpu')
    .describe('The GPUs as a generic resource, also with a type (gpu:a100); null: no --gres line'),
  constraint: sbatchValueSchema.nullable().default(null),
  extra: z.array(slurmOptionSchema).default([]).describe('More options, each as sbatch takes it: --mem=64G'),
});

/** `training.ray`: the cluster that takes the job. */
const raySchema = z.strictObject({
  address: serviceUrlSchema.default('http://127.0.0.1:8265').describe("The dashboard's address"),
});

/** `training.kubernetes`: the manifest. */
const kubernetesSchema = z.strictObject({
  kind: z
    .enum(['job', 'trainjob'])
    .default('job')
    .describe("job: an indexed Job and a headless Service; trainjob: Kubeflow's TrainJob"),
  namespace: dnsLabelSchema.default('default'),
  image: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'an image reference')
    .nullable()
    .default(null)
    .describe('Image with the trainer in it; must be given for Kubernetes'),
  claims: z
    .array(
      z.strictObject({
        claim: dnsLabelSchema.describe('Name of a PersistentVolumeClaim'),
        mount_path: lineSchema.regex(/^\/[^:]*$/, 'an absolute path without colons'),
      }),
    )
    .default([])
    .describe('Volumes with the run folder and the model'),
  run_folder: lineSchema
    .regex(/^\//, 'an absolute path')
    .nullable()
    .default(null)
    .describe("The run folder's path in the container; null: the same as here"),
  gpu_resource: z
    .string()
    .regex(/^[a-z0-9.-]+(\/[A-Za-z0-9._-]+)?$/, 'a resource name')
    .default('nvidia.com/gpu'),
  limits: z
    .record(
      z.string().regex(/^[a-z0-9.-]+(\/[A-Za-z0-9._-]+)?$/),
      z.string().regex(/^\d+(\.\d+)?([a-zA-Z]{1,2})?$/, 'a quantity such as 512Gi'),
    )
    .default({})
    .describe('More resource limits of a pod: cpu, memory'),
  shared_memory: z
    .string()
    .regex(/^\d+(\.\d+)?([a-zA-Z]{1,2})?$/, 'a quantity such as 64Gi')
    .nullable()
    .default('64Gi')
    .describe('Size of /dev/shm, over which the processes of a pod talk; null: the default of 64 MB'),
  runtime: dnsLabelSchema.default('torch-distributed').describe('Runtime of a TrainJob'),
  secret_env: z
    .array(
      z.strictObject({
        name: environmentNameSchema,
        secret: dnsLabelSchema.describe('Name of a Secret'),
        key: z.string().regex(/^[A-Za-z0-9._-]+$/),
      }),
    )
    .default([])
    .describe(
      "Environment variables from Secrets, such as a tracker's key; the keys themselves are never written",
    ),
});

const trainingSectionSchema = z.strictObject({
  trainer: z.enum(trainerNames).default('llama-factory'),
  launcher: z.enum(launcherNames).default('local').describe('Where the job is started'),
  model: lineSchema.optional().describe('Model name or folder'),
  preset: z
    .enum(trainingPresetNames)
    .nullable()
    .default(null)
    .describe('Published hyper-parameters; keys beside it win'),
  nodes: z.int().positive().default(1).describe('Machines'),
  gpus_per_node: z
    .int()
    .nonnegative()
    .nullable()
    .default(null)
    .describe('0: on the CPU; null: those of this machine where the job runs on it, else 8'),
  processes_per_node: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Processes a machine; null: one a GPU, one without GPUs'),
  learning_rate: z.number().positive().optional(),
  warmup_ratio: z.number().min(0).max(1).optional(),
  lr_scheduler: z.enum(['linear', 'cosine', 'constant']).optional().describe('verl knows no linear'),
  epochs: z.number().positive().optional(),
  max_steps: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Ends after so many steps; null: after the epochs'),
  per_device_batch_size: z.int().positive().optional(),
  gradient_accumulation_steps: z.int().positive().optional(),
  save_steps: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('A checkpoint every so many steps; null: at the end of each epoch'),
  seed: z.int().nonnegative().default(42),
  set: trainerSettingsSchema
    .default({})
    .describe(
      "More keys of the trainer's own configuration; those that would break masks or plan are refused",
    ),
  python: lineSchema
    .nullable()
    .default(null)
    .describe("Python of the trainer's environment; null: python3 on the PATH"),
  torchrun: torchrunSchema.prefault({}),
  slurm: slurmSchema.prefault({}),
  ray: raySchema.prefault({}),
  kubernetes: kubernetesSchema.prefault({}),
});

/** Without a preset: AFM's web 7B run with the scheduler that both trainers know. */
const defaults = { ...trainingPresets['afm-web-7b'].hyper_parameters, lr_scheduler: 'cosine' as const };

/** The `training` section: the job that is planned. Hyper-parameters that are absent come from the preset. */
export const trainingConfigSchema = trainingSectionSchema.transform((section) => {
  const { model, learning_rate, warmup_ratio, lr_scheduler, epochs } = section;
  const { per_device_batch_size, gradient_accumulation_steps } = section;
  const preset = section.preset === null ? defaults : trainingPresets[section.preset].hyper_parameters;
  return {
    ...section,
    model: model ?? preset.model,
    learning_rate: learning_rate ?? preset.learning_rate,
    warmup_ratio: warmup_ratio ?? preset.warmup_ratio,
    lr_scheduler: lr_scheduler ?? preset.lr_scheduler,
    epochs: epochs ?? preset.epochs,
    per_device_batch_size: per_device_batch_size ?? preset.per_device_batch_size,
    gradient_accumulation_steps: gradient_accumulation_steps ?? preset.gradient_accumulation_steps,
  };
});
/** See {@link trainingConfigSchema}. */
export type TrainingConfig = z.infer<typeof trainingConfigSchema>;
