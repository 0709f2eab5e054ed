import { z } from 'zod';
import { key, placePath, plainText, serviceUrl } from './keyMeaning.ts';

/** One line of text that is valid in scripts and configurations: no control characters, no lone surrogates. */
export const lineSchema = plainText
  .min(1)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line of text, without control characters');

/** Value of an `#SBATCH` line, which has no reliable quoting. */
const sbatchValueSchema = plainText.regex(
  /^[^\s\p{Cc}\p{Cs}"'`\\#-][^\s\p{Cc}\p{Cs}"'`\\#]*$/u,
  'no spaces, quotes, backslashes or #',
);

/** Options set by the batch script, or that would change the job's tasks, folder or log. */
const planned = 'array chdir wrap wait nodes ntasks requeue no-requeue output error open-mode'.split(' ');

/** An option of `training.slurm.extra`, copied to the batch script unchanged. */
const slurmOptionSchema = plainText
  .regex(/^--[a-z][a-z-]*(=[^\s\p{Cc}\p{Cs}"'`\\#]+)?$/u, 'an option such as --mem=64G')
  .refine((option) => !isPlanned(option.slice(2).split('=')[0]!), {
    error: ({ input }) =>
      `leave out ${input}: the plan sets it, since the job is one task a machine, in its own folder and with one log`,
  });

/**
 * True for reserved options: sbatch accepts prefixes of long options (`--arr`), and all kinds of `--ntasks-per-...`
 * count tasks.
 */
function isPlanned(name: string): boolean {
  return name.startsWith('ntasks') || planned.some((option) => option.startsWith(name));
}

const dnsLabelSchema = plainText.regex(
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'lower-case letters, digits and dashes, at most 63',
);

/** `training.slurm`: lines of the batch script. */
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

/** `training.ray`: the cluster that runs the job. */
export const raySchema = z.strictObject({
  address: key(serviceUrl.default('http://127.0.0.1:8265'), "Address of the cluster's dashboard"),
});

/** `training.kubernetes`: the Job. Volumes, limits, secrets and scheduling belong to the template. */
export const kubernetesSchema = z.strictObject({
  namespace: key(dnsLabelSchema.default('default'), 'Namespace of the job'),
  image: key(
    plainText
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'an image reference')
      .nullable()
      .default(null),
    'Image with the trainer in it; required for Kubernetes',
  ),
  pod_template: key(
    placePath.nullable().default(null),
    'File of a pod template (YAML), whose first container trains; the run folder is mounted at its path here; null: 64 GB of /dev/shm and no volumes',
  ),
});
