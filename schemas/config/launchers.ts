import { z } from 'zod';
import { key, plainText, serviceUrl, variableName } from './keyMeaning.ts';

/** One line of text that can stand in scripts and configurations: no control characters, no broken characters. */
export const lineSchema = plainText
  .min(1)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line of text, without control characters');

/** A value of an `#SBATCH` line, which knows no quoting that could be relied on. */
const sbatchValueSchema = plainText.regex(
  /^[^\s\p{Cc}\p{Cs}"'`\\#-][^\s\p{Cc}\p{Cs}"'`\\#]*$/u,
  'no spaces, quotes, backslashes or #',
);

/** Options that the batch script sets, or that would make other tasks, another folder or another log of the job. */
const planned = 'array chdir wrap wait nodes ntasks requeue no-requeue output error open-mode'.split(' ');

/** An option of `training.slurm.extra`, which goes into the batch script as it is. */
const slurmOptionSchema = plainText
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
const dnsLabelSchema = plainText.regex(
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'lower-case letters, digits and dashes, at most 63',
);

/** A quantity as Kubernetes writes it. */
const quantity = (example: string) =>
  plainText.regex(/^\d+(\.\d+)?([a-zA-Z]{1,2})?$/, `a quantity such as ${example}`);
const resourceName = /^[a-z0-9.-]+(\/[A-Za-z0-9._-]+)?$/;

/** `training.slurm`: the lines of the batch script. */
export const slurmSchema = z.strictObject({
  partition: key(sbatchValueSchema.nullable().default(null), "Partition; null: the cluster's default"),
  account: key(sbatchValueSchema.nullable().default(null), "Account to charge; null: the user's default"),
  time: key(
    plainText
      .regex(/^\d+(-\d+)?(:\d+){0,2}$/, 'a time as Slurm writes it, such as 2-12:00:00')
      .nullable()
      .default(null),
    "Time limit, as 12:00:00 or 2-00:00:00; null: the partition's",
  ),
  gres: key(
    sbatchValueSchema.nullable().default('gpu'),
    'The GPUs as a generic resource, also with a type (gpu:a100); null: no --gres line',
  ),
  extra: key(
    z.array(slurmOptionSchema).default([]),
    'More options, each as sbatch takes it: --mem=64G, --constraint=a100',
  ),
});

/** `training.ray`: the cluster that takes the job. */
export const raySchema = z.strictObject({
  address: key(serviceUrl.default('http://127.0.0.1:8265'), "Address of the cluster's dashboard"),
});

/** `training.kubernetes`: the manifest. */
export const kubernetesSchema = z.strictObject({
  kind: key(
    z.enum(['job', 'trainjob']).default('job'),
    "job: an indexed Job and a headless Service; trainjob: Kubeflow's TrainJob",
  ),
  namespace: key(dnsLabelSchema.default('default'), 'Namespace of the job'),
  image: key(
    plainText
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'an image reference')
      .nullable()
      .default(null),
    'Image with the trainer in it; must be given for Kubernetes',
  ),
  claims: z
    .array(
      z.strictObject({
        claim: key(dnsLabelSchema, 'Name of a PersistentVolumeClaim'),
        mount_path: key(
          lineSchema.regex(/^\/[^:]*$/, 'an absolute path without colons'),
          'Absolute path of the volume in the container',
        ),
      }),
    )
    .default([])
    .describe('Volumes with the run folder and the model'),
  run_folder: key(
    lineSchema.regex(/^\//, 'an absolute path').nullable().default(null),
    "The run folder's path in the container; null: the same as here",
  ),
  gpu_resource: key(
    plainText.regex(resourceName, 'a resource name').default('nvidia.com/gpu'),
    'Name under which the cluster counts GPUs',
  ),
  limits: key(
    z.record(z.string().regex(resourceName), quantity('512Gi')).default({}),
    'More resource limits of a pod: cpu, memory',
  ),
  shared_memory: key(
    quantity('64Gi').nullable().default('64Gi'),
    'Size of /dev/shm, over which the processes of a pod talk; null: the default of 64 MB',
  ),
  runtime: key(
    dnsLabelSchema.default('torch-distributed'),
    "Runtime of a TrainJob, as the cluster's administrator named it",
  ),
  secret_env: z
    .array(
      z.strictObject({
        name: key(variableName, 'Environment variable that is set'),
        secret: key(dnsLabelSchema, 'Name of the Secret'),
        key: key(plainText.regex(/^[A-Za-z0-9._-]+$/), 'Key in the Secret'),
      }),
    )
    .default([])
    .describe(
      "Environment variables from Secrets, such as a tracker's key; the keys themselves are never written",
    ),
});
