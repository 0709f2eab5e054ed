import { z } from 'zod';
import { plainTextSchema, serviceUrlSchema, shapesNothing, variableNameSchema } from './keyMeaning.ts';

/** One line of text that can stand in scripts and configurations: no control characters, no broken characters. */
export const lineSchema = plainTextSchema
  .min(1)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line of text, without control characters');

/** A value of an `#SBATCH` line, which knows no quoting that could be relied on. */
const sbatchValueSchema = plainTextSchema.regex(
  /^[^\s\p{Cc}\p{Cs}"'`\\#-][^\s\p{Cc}\p{Cs}"'`\\#]*$/u,
  'no spaces, quotes, backslashes or #',
);

/** Options that the batch script sets, or that would make other tasks, another folder or another log of the job. */
const planned = 'array chdir wrap wait nodes ntasks requeue no-requeue output error open-mode'.split(' ');

/** An option of `training.slurm.extra`, which goes into the batch script as it is. */
const slurmOptionSchema = plainTextSchema
  .regex(/^--[a-z][a-z-]*(=[^\s\p{Cc}\p{Cs}"'`\\#]+)?$/u, 'an option such as --mem=64G')
  .refine((option) => !isPlanned(option.slice(2).split('=')[0]!), {
    error: ({ input }) =>
      `leave out ${input}: the plan sets it, since the job is one task a machine, in its own folder and with one log`,
  });

/** sbatch takes a long option's beginning for the option (`--arr`); all kinds of `--ntasks-per-...` count tasks. */
function isPlanned(name: string): boolean {
  return name.startsWith('ntasks') || planned.some((option) => option.startsWith(name));
}

/** The name of a Kubernetes object. */
const dnsLabelSchema = plainTextSchema.regex(
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'lower-case letters, digits and dashes, at most 63',
);

/** `training.torchrun`: several machines without a scheduler, the same script started on each. */
export const torchrunSchema = z.strictObject({
  rendezvous: plainTextSchema
    .regex(/^[A-Za-z0-9.-]+:\d{1,5}$/, 'HOST:PORT')
    .nullable()
    .default(null)
    .meta(
      shapesNothing('HOST:PORT where the machines meet, a port of the first one; null: from RDZV_ENDPOINT'),
    ),
});

/** `training.slurm`: the lines of the batch script. */
export const slurmSchema = z.strictObject({
  partition: sbatchValueSchema
    .nullable()
    .default(null)
    .meta(shapesNothing("Partition; null: the cluster's default")),
  account: sbatchValueSchema
    .nullable()
    .default(null)
    .meta(shapesNothing("Account that is charged; null: the user's default")),
  time: plainTextSchema
    .regex(/^\d+(-\d+)?(:\d+){0,2}$/, 'a time as Slurm writes it, such as 2-12:00:00')
    .nullable()
    .default(null)
    .meta(shapesNothing("Time limit, as 12:00:00 or 2-00:00:00; null: the partition's")),
  gres: sbatchValueSchema
    .nullable()
    .default('gpu')
    .meta(shapesNothing('The GPUs as a generic resource, also with a type (gpu:a100); null: no --gres line')),
  constraint: sbatchValueSchema
    .nullable()
    .default(null)
    .meta(shapesNothing('Features that the machines must have; null: any machine')),
  extra: z
    .array(slurmOptionSchema)
    .default([])
    .meta(shapesNothing('More options, each as sbatch takes it: --mem=64G')),
});

/** `training.ray`: the cluster that takes the job. */
export const raySchema = z.strictObject({
  address: serviceUrlSchema
    .default('http://127.0.0.1:8265')
    .meta(shapesNothing("Address of the cluster's dashboard")),
});

/** `training.kubernetes`: the manifest. */
export const kubernetesSchema = z.strictObject({
  kind: z
    .enum(['job', 'trainjob'])
    .default('job')
    .meta(shapesNothing("job: an indexed Job and a headless Service; trainjob: Kubeflow's TrainJob")),
  namespace: dnsLabelSchema.default('default').meta(shapesNothing('Namespace of the job')),
  image: plainTextSchema
    .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'an image reference')
    .nullable()
    .default(null)
    .meta(shapesNothing('Image with the trainer in it; must be given for Kubernetes')),
  claims: z
    .array(
      z.strictObject({
        claim: dnsLabelSchema.meta(shapesNothing('Name of a PersistentVolumeClaim')),
        mount_path: lineSchema
          .regex(/^\/[^:]*$/, 'an absolute path without colons')
          .meta(shapesNothing('Absolute path of the volume in the container')),
      }),
    )
    .default([])
    .describe('Volumes with the run folder and the model'),
  run_folder: lineSchema
    .regex(/^\//, 'an absolute path')
    .nullable()
    .default(null)
    .meta(shapesNothing("The run folder's path in the container; null: the same as here")),
  gpu_resource: plainTextSchema
    .regex(/^[a-z0-9.-]+(\/[A-Za-z0-9._-]+)?$/, 'a resource name')
    .default('nvidia.com/gpu')
    .meta(shapesNothing('Name under which the cluster counts GPUs')),
  limits: z
    .record(
      z.string().regex(/^[a-z0-9.-]+(\/[A-Za-z0-9._-]+)?$/),
      plainTextSchema.regex(/^\d+(\.\d+)?([a-zA-Z]{1,2})?$/, 'a quantity such as 512Gi'),
    )
    .default({})
    .meta(shapesNothing('More resource limits of a pod: cpu, memory')),
  shared_memory: plainTextSchema
    .regex(/^\d+(\.\d+)?([a-zA-Z]{1,2})?$/, 'a quantity such as 64Gi')
    .nullable()
    .default('64Gi')
    .meta(
      shapesNothing('Size of /dev/shm, over which the processes of a pod talk; null: the default of 64 MB'),
    ),
  runtime: dnsLabelSchema
    .default('torch-distributed')
    .meta(shapesNothing("Runtime of a TrainJob, as the cluster's administrator named it")),
  secret_env: z
    .array(
      z.strictObject({
        name: variableNameSchema.meta(shapesNothing('Environment variable that is set')),
        secret: dnsLabelSchema.meta(shapesNothing('Name of the Secret')),
        key: plainTextSchema.regex(/^[A-Za-z0-9._-]+$/).meta(shapesNothing('Key in the Secret')),
      }),
    )
    .default([])
    .describe(
      "Environment variables from Secrets, such as a tracker's key; the keys themselves are never written",
    ),
});
