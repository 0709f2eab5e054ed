import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { UserError } from '../../../base/userError.ts';
import type { JobSize } from '../../../contract/launcher.ts';
import { renderYaml } from '../../../output/quoting/renderYaml.ts';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import { type PodTemplate, podTemplateSchema } from '../../../schemas/training/podTemplate.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import { jobName } from '../scheduler.ts';

/** Input of kubectl. */
export const kubernetesFile = 'kubernetes.yaml';

/** Rendezvous port of the first pod. */
const RENDEZVOUS_PORT = 29_500;

/** Owner of a job: the job's folder. On a restart, only the owner's job is replaced. */
export const kubernetesFolderAnnotation = 'coa-distill/job-folder';

/** Pod failures after which the job fails and all its pods end. */
const BACKOFF_LIMIT = 3;
/** Failure limit per pod for independent pods; one task may cost six workers. */
const BACKOFF_A_POD = 10;

/** Default template: processes of a pod exchange data through /dev/shm, whose default of 64 MB is too small. */
export const defaultTemplate = podTemplateSchema.parse({
  spec: {
    containers: [{ volumeMounts: [{ name: 'shared-memory', mountPath: '/dev/shm' }] }],
    volumes: [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '64Gi' } }],
  },
});

/** Reads `training.kubernetes.pod_template`. Throws `UserError` for an invalid pod template. */
export async function readPodTemplate(file: string | null): Promise<PodTemplate> {
  if (file === null) return defaultTemplate;
  const key = 'training.kubernetes.pod_template';
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UserError(`${key}: ${file} can't be read (${error.message})`, { cause: error });
  });
  try {
    return podTemplateSchema.parse(parse(text));
  } catch (error) {
    throw new UserError(
      `${key}: ${file}: expected a pod template: spec with containers, of which the first trains`,
      { cause: error },
    );
  }
}

interface KubernetesNames {
  readonly run: string;
  readonly job: string;
  /** The job's folder, mounted in pods at the same path. */
  readonly folder: string;
  /** As in `RenderRequest`. */
  readonly command?: readonly string[];
}

/**
 * Renders the manifest of a job: an indexed `batch/v1` Job, and a headless `v1` Service through which pods reach the
 * first one.
 */
export function kubernetesManifest(
  plan: JobSize,
  settings: TrainingConfig['kubernetes'],
  template: PodTemplate,
  names: KubernetesNames,
): string {
  const name = jobName(names.run, names.job);
  const metadata = {
    name,
    namespace: settings.namespace,
    annotations: { [kubernetesFolderAnnotation]: names.folder },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      clusterIP: 'None',
      // Pods look up the first one before it is ready.
      publishNotReadyAddresses: true,
      selector: { 'job-name': name },
      ports: [{ name: 'rendezvous', port: RENDEZVOUS_PORT }],
    },
  };
  const [own, ...others] = template.spec.containers;
  const container = {
    ...trainerContainer(own!, plan, names, `${name}-0.${name}:${RENDEZVOUS_PORT}`),
    image: settings.image,
  };
  const spec = {
    automountServiceAccountToken: false,
    ...template.spec,
    subdomain: name,
    restartPolicy: 'Never',
    containers: [container, ...others],
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
      template: { ...template, spec },
    },
  };
  const heading = `# Create it with: kubectl create -f ${kubernetesFile}
# Resume from the newest checkpoint, after its end: kubectl replace --force -f ${kubernetesFile}\n`;
  return heading + [service, job].map((object) => renderYaml(object)).join('---\n');
}

/** Container of the template with the job's command and GPUs. */
function trainerContainer(
  own: PodTemplate['spec']['containers'][number],
  { nodes, gpus_per_node: gpus }: JobSize,
  { folder, command }: KubernetesNames,
  endpoint: string,
): object {
  const { limits = {}, ...resources } = own.resources ?? {};
  const gpuResource = Object.keys(limits).find((name) => name.endsWith('/gpu')) ?? 'nvidia.com/gpu';
  return {
    name: 'trainer',
    ...own,
    ...(command ? { command } : { workingDir: folder, command: ['bash', runScriptFile] }),
    env: [
      ...(nodes > 1 ? [{ name: 'RDZV_ENDPOINT', value: endpoint }] : []),
      { name: 'CONSOLE_FILE', value: consoleFile },
      ...(own.env ?? []),
    ],
    resources: {
      ...resources,
      limits: { ...limits, ...(gpus > 0 && { [gpuResource]: String(gpus) }) },
    },
  };
}
