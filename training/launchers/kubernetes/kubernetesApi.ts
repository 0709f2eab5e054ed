import { z } from 'zod';
import type { JobState } from '../../../contract/launcher.ts';

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
type KubernetesCondition = z.infer<typeof conditionSchema>;

/** `batch/v1` Job in a manifest or from `kubectl get -o json`; only the fields in use. */
export const kubernetesJobSchema = z.object({
  kind: z.literal('Job'),
  metadata: metadataSchema,
  status: z.object({ conditions: z.array(conditionSchema).default([]) }).prefault({}),
});
export type KubernetesJob = z.infer<typeof kubernetesJobSchema>;

const objectSchema = z.object({ kind: z.enum(['Job', 'Service']), metadata: metadataSchema });
export type KubernetesObject = z.infer<typeof objectSchema>;

/** kubectl output for the objects of a manifest: a list, or a single object. */
export const kubernetesObjectsSchema = z.union([
  z.object({ kind: z.literal('List'), items: z.array(objectSchema) }).transform(({ items }) => items),
  objectSchema.transform((object) => [object]),
]);

const containerStateSchema = z.object({
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  running: z.object({}).optional(),
  terminated: z.object({ exitCode: z.int(), reason: z.string().optional() }).optional(),
});

/** Pod from `kubectl get -o json`; only the fields in use. */
const kubernetesPodSchema = z.object({
  metadata: metadataSchema.extend({ creationTimestamp: z.string().default('') }),
  status: z
    .object({
      phase: z.string().default('Unknown'),
      conditions: z.array(conditionSchema).default([]),
      containerStatuses: z.array(z.object({ state: containerStateSchema.default({}) })).default([]),
    })
    .prefault({}),
});
export type KubernetesPod = z.infer<typeof kubernetesPodSchema>;

export const kubernetesPodListSchema = z.object({ items: z.array(kubernetesPodSchema) });

/** Job state from its own status and its pods'. Failed pods are replaced until the job itself fails. */
export function kubernetesState(job: KubernetesJob, pods: readonly KubernetesPod[]): JobState {
  const { conditions } = job.status;
  const failed = holds(conditions, 'Failed');
  if (failed) return failedState(failed, pods);
  if (holds(conditions, 'Complete')) return { kind: 'ended', exitCode: 0, outOfMemory: false };
  const suspended = holds(conditions, 'Suspended');
  if (suspended) return { kind: 'queued', reason: wordsOf(suspended) };
  if (pods.some(isRunning)) return { kind: 'running' };
  return { kind: 'queued', reason: pods.map(waitsFor).find((reason) => reason !== '') ?? '' };
}

function failedState(failed: KubernetesCondition, pods: readonly KubernetesPod[]): JobState {
  const ends = pods
    .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))
    .flatMap(({ status }) => status.containerStatuses.flatMap(({ state }) => state.terminated ?? []))
    .filter(({ exitCode }) => exitCode !== 0);
  return {
    kind: 'ended',
    exitCode: ends.at(-1)?.exitCode ?? null,
    outOfMemory: ends.some(({ reason }) => reason === 'OOMKilled'),
    message: `Kubernetes: the job failed: ${wordsOf(failed)}`,
  };
}

function holds(conditions: readonly KubernetesCondition[], type: string): KubernetesCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

function wordsOf({ type, reason, message }: KubernetesCondition): string {
  return [reason ?? type, ...(message ? [message] : [])].join(': ');
}

function isRunning({ status }: KubernetesPod): boolean {
  return status.containerStatuses.some(({ state }) => state.running !== undefined);
}

/** Reason why a pod does not run: no machine has room, or its container can't be created. Empty if unknown. */
function waitsFor({ status }: KubernetesPod): string {
  const waiting = status.containerStatuses.map(({ state }) => state.waiting).find((state) => state?.reason);
  if (waiting) return [waiting.reason, ...(waiting.message ? [waiting.message] : [])].join(': ');
  const unscheduled = status.conditions.find(
    ({ type, status: held }) => type === 'PodScheduled' && held === 'False',
  );
  return unscheduled ? wordsOf(unscheduled) : '';
}
