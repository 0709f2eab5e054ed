import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { parseJson } from '../../../base/json.ts';
import { UserError } from '../../../base/userError.ts';
import type { Launcher } from '../../../contract/launcher.ts';
import {
  type CommandResult,
  lostJob,
  type Scheduler,
  SchedulerUnreachable,
  schedulerCommand,
  schedulerControl,
} from '../scheduler.ts';
import {
  type KubernetesJob,
  type KubernetesObject,
  type KubernetesPod,
  kubernetesJobSchema,
  kubernetesObjectsSchema,
  kubernetesPodListSchema,
  kubernetesState,
} from './kubernetesApi.ts';
import {
  defaultTemplate,
  kubernetesFile,
  kubernetesFolderAnnotation,
  kubernetesManifest,
} from './kubernetesManifest.ts';

export const kubernetesLauncher: Launcher = {
  name: 'kubernetes',
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: true,
  refuse({ kubernetes }) {
    if (kubernetes.image !== null) return;
    throw new UserError('training.kubernetes.image: expected an image with the trainer in it, got nothing');
  },
  render(plan, { training: { kubernetes }, podTemplate, run, job, jobFolder: folder, command }) {
    const names = { run, job, folder, ...(command && { command }) };
    const text = kubernetesManifest(plan, kubernetes, podTemplate ?? defaultTemplate, names);
    return {
      files: [{ path: kubernetesFile, text }],
      start: { argv: ['kubectl', 'create', '-f', kubernetesFile], env: {} },
    };
  },
  open: (clock) => schedulerControl(kubernetes, clock),
};

/** Creates jobs with kubectl in its configured cluster. */
export const kubernetes: Scheduler = {
  intervalMs: 5_000,
  async start({ folder, argv, env }) {
    const wanted = await readManifest(folder);
    const earlier = await getJob(wanted, folder);
    if (earlier) await makeRoom(earlier, wanted, folder);
    const { code, error } = await schedulerCommand(argv, { cwd: folder, env, remedy });
    if (code !== 0) {
      const left = await removeOwn(wanted, folder);
      throw new UserError(`${folder}: the cluster refused the job: ${error}${left}`);
    }
    return { kind: 'kubernetes', namespace: wanted.metadata.namespace, name: wanted.metadata.name };
  },
  async state(_, folder) {
    const wanted = await readManifest(folder);
    const job = await getJob(wanted, folder);
    const isOwn = job !== undefined && ownerOf(job) === ownerOf(wanted);
    if (isOwn) return kubernetesState(job, await getPods(job, folder));
    const other = job ? `; one of its name belongs to ${ownerOf(job) ?? 'something else'}` : '';
    return lostJob(`Kubernetes: the job is not in the cluster any more${other}`);
  },
  cancel: (_, folder) => deleteObjects(folder),
  describe: ({ namespace, name }) => `look at ${namespace}/${name} with kubectl get`,
};

/** Deletes an earlier attempt before the job is created again; keeps a foreign job. */
async function makeRoom(earlier: KubernetesJob, wanted: KubernetesJob, folder: string): Promise<void> {
  const owner = ownerOf(earlier);
  const named = `${earlier.metadata.namespace}/${earlier.metadata.name}`;
  if (owner === undefined || owner !== ownerOf(wanted)) {
    throw new UserError(
      `${named} is in the cluster already, and belongs to ${owner ?? 'something else'}: take another name with --job, or another training.kubernetes.namespace`,
    );
  }
  if (kubernetesState(earlier, await getPods(earlier, folder)).kind !== 'ended') {
    throw new UserError(
      `${named} is in the cluster already and has not ended; end it with: kubectl delete -f ${join(folder, kubernetesFile)}`,
    );
  }
  await deleteObjects(folder);
}

/**
 * Cleans up after a failed creation: a Service without its job, or a job whose first pod can't be found. Keeps foreign
 * objects.
 *
 * @returns text to add to the error: empty, or the objects that could not be removed
 */
async function removeOwn(wanted: KubernetesJob, folder: string): Promise<string> {
  const found = await kubectl(['get', '-f', kubernetesFile, '--ignore-not-found', '--output=json'], folder);
  const left = found.stdout.trim() === '' ? [] : parse(kubernetesObjectsSchema, found.stdout);
  const owner = ownerOf(wanted);
  const own = left.filter((object) => owner !== undefined && ownerOf(object) === owner);
  const names = own.map(({ kind, metadata }) => `${resources[kind]}/${metadata.name}`);
  const namespace = `--namespace=${wanted.metadata.namespace}`;
  const removed =
    names.length === 0 ? found : await kubectl(['delete', ...names, namespace, '--ignore-not-found'], folder);
  const failed = [found, removed].find(({ code }) => code !== 0);
  if (!failed) return '';
  return `; parts of it may be left (${failed.error}): look with kubectl get -f ${join(folder, kubernetesFile)}`;
}

/** kubectl resource names by kind. */
const resources: Readonly<Record<KubernetesObject['kind'], string>> = {
  Job: 'jobs.batch',
  Service: 'services',
};

function ownerOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string | undefined {
  return metadata.annotations[kubernetesFolderAnnotation];
}

/** Deletes the objects of a job including pods; their output files stay. */
async function deleteObjects(folder: string): Promise<void> {
  const { code, error } = await kubectl(
    ['delete', '-f', kubernetesFile, '--ignore-not-found', '--cascade=foreground', '--timeout=50s'],
    folder,
  );
  if (code !== 0) throw new UserError(`${folder}: the job can't be deleted from the cluster: ${error}`);
}

/** Job in the rendered manifest, which may also contain a Service. */
async function readManifest(folder: string): Promise<KubernetesJob> {
  const path = join(folder, kubernetesFile);
  const documents = parseAllDocuments(await readFile(path, 'utf8'));
  const jobs = documents.flatMap((document) => kubernetesJobSchema.safeParse(document.toJS()).data ?? []);
  if (jobs[0]) return jobs[0];
  throw new UserError(`${path} has no Job; render it again with: coa-distill train --render-only`);
}

/** Job in the cluster; undefined if it does not exist. */
async function getJob({ metadata }: KubernetesJob, folder: string): Promise<KubernetesJob | undefined> {
  const { namespace, name } = metadata;
  const stdout = await get([resources.Job, name, `--namespace=${namespace}`, '--ignore-not-found'], folder);
  return stdout.trim() === '' ? undefined : parse(kubernetesJobSchema, stdout);
}

async function getPods({ metadata }: KubernetesJob, folder: string): Promise<readonly KubernetesPod[]> {
  const { namespace, name } = metadata;
  const selector = `--selector=batch.kubernetes.io/job-name=${name}`;
  return parse(kubernetesPodListSchema, await get(['pods', `--namespace=${namespace}`, selector], folder))
    .items;
}

async function get(what: readonly string[], folder: string): Promise<string> {
  const { code, stdout, error } = await kubectl(['get', ...what, '--output=json'], folder);
  if (code === 0) return stdout;
  // Missing permissions or contexts are not retried.
  if (/Forbidden|Unauthorized|no context|invalid configuration/i.test(error)) {
    throw new UserError(`kubectl get ${what[0]}: ${error}`);
  }
  throw new SchedulerUnreachable(`the cluster does not answer kubectl (${error})`);
}

const remedy =
  'install it (https://kubernetes.io/docs/tasks/tools/) and name your cluster to it (kubectl config), or take another --launcher';

function kubectl(args: readonly string[], cwd: string): Promise<CommandResult> {
  return schedulerCommand(['kubectl', ...args], { cwd, remedy });
}

function parse<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(parseJson(text));
  } catch (error) {
    throw new UserError('kubectl printed neither a job nor a pod; ask it by hand with: kubectl get', {
      cause: error,
    });
  }
}
