import { z } from 'zod';

const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().default('default'),
  annotations: z.record(z.string(), z.string()).default({}),
});

const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
/** A condition in an object's status. */
export type KubernetesCondition = z.infer<typeof conditionSchema>;

/** A `batch/v1` Job or a TrainJob of Kubeflow, in a manifest or as `kubectl get -o json` prints it, as far as it is read. */
export const kubernetesJobSchema = z.object({
  kind: z.enum(['Job', 'TrainJob']),
  metadata: metadataSchema,
  status: z.object({ conditions: z.array(conditionSchema).default([]) }).prefault({}),
});
/** A job as the cluster has it. */
export type KubernetesJob = z.infer<typeof kubernetesJobSchema>;

const objectSchema = z.object({ kind: z.enum(['Job', 'TrainJob', 'Service']), metadata: metadataSchema });
/** An object of a job's manifest, as far as it is read. */
export type KubernetesObject = z.infer<typeof objectSchema>;

/** What kubectl prints for the objects of a manifest: a list of them, or the only one. */
export const kubernetesObjectsSchema = z.union([
  z.object({ kind: z.literal('List'), items: z.array(objectSchema) }).transform(({ items }) => items),
  objectSchema.transform((object) => [object]),
]);

const containerStateSchema = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({}).optional(),
  terminated: z.object({ exitCode: z.int(), reason: z.string().optional() }).optional(),
});

/** A pod as `kubectl get -o json` prints it, as far as it is read. */
export const kubernetesPodSchema = z.object({
  metadata: metadataSchema.extend({ creationTimestamp: z.string().default('') }),
  status: z
    .object({
      phase: z.string().default('Unknown'),
      conditions: z.array(conditionSchema).default([]),
      containerStatuses: z.array(z.object({ state: containerStateSchema.default({}) })).default([]),
    })
    .prefault({}),
});
/** A pod of a job. */
export type KubernetesPod = z.infer<typeof kubernetesPodSchema>;

/** What kubectl prints for the pods of a job. */
export const kubernetesPodListSchema = z.object({ items: z.array(kubernetesPodSchema) });
