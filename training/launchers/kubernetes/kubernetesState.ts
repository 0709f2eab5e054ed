import type { JobState } from '../../../contract/launcher.ts';
import type { KubernetesCondition, KubernetesJob, KubernetesPod } from './kubernetesApi.ts';

/** Where a job is, by its own status and by its pods'. A pod that failed is replaced until the job itself has failed. */
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

/** Why a pod does not run: no machine has room for it, or its container can't be made. Empty where nothing is said. */
function waitsFor({ status }: KubernetesPod): string {
  const waiting = status.containerStatuses.map(({ state }) => state.waiting).find((state) => state?.reason);
  if (waiting) return [waiting.reason, ...(waiting.message ? [waiting.message] : [])].join(': ');
  const unscheduled = status.conditions.find(
    ({ type, status: held }) => type === 'PodScheduled' && held === 'False',
  );
  return unscheduled ? wordsOf(unscheduled) : '';
}
