import type { JobSize, RenderRequest } from '../../../contract/launcher.ts';
import { renderYaml } from '../../../output/quoting/renderYaml.ts';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import { jobName } from '../scheduler.ts';

/** What kubectl creates. */
export const kubernetesFile = 'kubernetes.yaml';

/** Port of the first pod where the pods meet. */
const RENDEZVOUS_PORT = 29_500;

/** Says whose a job is: started again, only one's own is replaced. The value is the job's folder as pods see it. */
export const kubernetesFolderAnnotation = 'coa-distill/job-folder';

/** Pods that may fail before the job has, and with it all of its pods end. */
const BACKOFF_LIMIT = 3;
/** The same of pods that don't need each other, for each of them: one task may cost six workers. */
const BACKOFF_A_POD = 10;

type Kubernetes = TrainingConfig['kubernetes'];
type KubernetesObject = Readonly<Record<string, unknown>>;

/** What names and places a job for a cluster. */
interface KubernetesNames {
  readonly run: string;
  readonly job: string;
  /** The job's folder as pods see it. */
  readonly folder: string;
  /** As in {@link RenderRequest}. */
  readonly command?: readonly string[];
}

/** Manifest of a job: `batch/v1` Job and `v1` Service, or a `trainer.kubeflow.org/v1alpha1` TrainJob. */
export function kubernetesManifest(plan: JobSize, settings: Kubernetes, names: KubernetesNames): string {
  const objects =
    settings.kind === 'job' ? indexedJob(plan, settings, names) : [trainJob(plan, settings, names)];
  const heading = `# Create it with: kubectl create -f ${kubernetesFile}
# Go on from the newest checkpoint, after its end: kubectl replace --force -f ${kubernetesFile}\n`;
  return heading + objects.map((object) => renderYaml(object)).join('---\n');
}

function indexedJob(plan: JobSize, settings: Kubernetes, names: KubernetesNames): KubernetesObject[] {
  const name = jobName(names.run, names.job);
  const metadata = metadataOf(settings, names);
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      clusterIP: 'None',
      // Pods look for the first one before it is ready.
      publishNotReadyAddresses: true,
      selector: { 'job-name': name },
      ports: [{ name: 'rendezvous', port: RENDEZVOUS_PORT }],
    },
  };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      completionMode: 'Indexed',
      completions: plan.nodes,
      parallelism: plan.nodes,
      backoffLimit: names.command ? BACKOFF_A_POD * plan.nodes : BACKOFF_LIMIT,
      template: { spec: podSpec(plan, settings, names, name) },
    },
  };
  return [service, job];
}

function metadataOf({ namespace }: Kubernetes, { run, job, folder }: KubernetesNames): object {
  return { name: jobName(run, job), namespace, annotations: { [kubernetesFolderAnnotation]: folder } };
}

function podSpec(plan: JobSize, settings: Kubernetes, names: KubernetesNames, subdomain: string): object {
  const endpoint = { name: 'RDZV_ENDPOINT', value: `${subdomain}-0.${subdomain}:${RENDEZVOUS_PORT}` };
  return {
    subdomain,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'trainer',
        image: settings.image,
        ...(names.command
          ? { command: names.command }
          : { workingDir: names.folder, command: ['bash', runScriptFile] }),
        env: [...(plan.nodes > 1 ? [endpoint] : []), ...environment(settings)],
        resources: { limits: limits(plan, settings) },
        volumeMounts: volumeMounts(settings),
      },
    ],
    volumes: volumes(settings),
  };
}

/**
 * https://github.com/kubeflow/trainer, api v1alpha1: the runtime makes the pods, whose container is named `node`. The
 * patches of the runtime came with Trainer 2.2, in place of `podTemplateOverrides`.
 */
function trainJob(plan: JobSize, settings: Kubernetes, names: KubernetesNames): KubernetesObject {
  return {
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    kind: 'TrainJob',
    metadata: metadataOf(settings, names),
    spec: {
      runtimeRef: { name: settings.runtime },
      trainer: {
        image: settings.image,
        command: ['bash', '-c', `cd -- "$1" && exec bash ${runScriptFile}`, runScriptFile],
        // Kubernetes reads $$ as $ in arguments.
        args: [names.folder.replaceAll('$', '$$$$')],
        env: environment(settings),
        numNodes: plan.nodes,
        numProcPerNode: plan.processes_per_node,
        resourcesPerNode: { limits: limits(plan, settings) },
      },
      runtimePatches: [{ manager: 'coa-distill', trainingRuntimeSpec: nodePatch(settings) }],
    },
  };
}

/** The volumes, at the place of the pods in the runtime's JobSet. */
function nodePatch(settings: Kubernetes): object {
  const pod = {
    containers: [{ name: 'node', volumeMounts: volumeMounts(settings) }],
    volumes: volumes(settings),
  };
  const job = { name: 'node', template: { spec: { template: { spec: pod } } } };
  return { template: { spec: { replicatedJobs: [job] } } };
}

function environment({ secret_env }: Kubernetes): object[] {
  return [
    { name: 'CONSOLE_FILE', value: consoleFile },
    ...secret_env.map(({ name, secret, key }) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key } },
    })),
  ];
}

function limits({ gpus_per_node: gpus }: JobSize, settings: Kubernetes): Record<string, string> {
  return { ...(gpus === 0 ? {} : { [settings.gpu_resource]: String(gpus) }), ...settings.limits };
}

function volumeMounts({ claims, shared_memory }: Kubernetes): object[] {
  return [
    ...claims.map(({ mount_path }, index) => ({ name: `claim-${index}`, mountPath: mount_path })),
    ...(shared_memory === null ? [] : [{ name: 'shared-memory', mountPath: '/dev/shm' }]),
  ];
}

function volumes({ claims, shared_memory }: Kubernetes): object[] {
  return [
    ...claims.map(({ claim }, index) => ({
      name: `claim-${index}`,
      persistentVolumeClaim: { claimName: claim },
    })),
    ...(shared_memory === null
      ? []
      : [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: shared_memory } }]),
  ];
}
