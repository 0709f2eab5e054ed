import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../base/ids.ts';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { RenderedJob } from '../../contract/launcher.ts';
import {
  type DatasetAuditor,
  type DatasetFacts,
  type GateFacts,
  type GateResult,
  type Judge,
  pass,
  refuse,
  unchecked,
} from '../../contract/trainingGate.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { folderProblem, jobFolderOf } from '../jobFolder.ts';
import { datasetFilesOf } from '../plan/datasetFiles.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { jobGates, judgeDataFiles } from './jobGates.ts';
import { modelFolderFacts } from './modelFolderFacts.ts';
import { modelGates } from './modelGates.ts';
import { trainerFacts } from './trainerFacts.ts';
import { trainerGates } from './trainerGates.ts';

const environmentGates = {
  /** The server answers and matches the job's limits: concurrent generations, and tokens per response. */
  environment({ plan: { rl }, environment }) {
    if (!environment || environment.url === null) {
      return refuse(
        'nothing says where tasks are played: start coa-distill serve rl RUN, and set COA_RL_URL to its address',
      );
    }
    const { url, problem, limits } = environment;
    const server = `the environment server at ${url}`;
    if (problem !== null) return refuse(`${server}: ${problem}; see coa-distill serve rl`);
    const { max_steps: steps, max_response_tokens: tokens } = limits!;
    const { max_generations: generations, max_response_tokens: most } = rl!;
    if (steps !== generations) {
      return refuse(
        `${server} ends a trajectory after ${steps} generations, and the job's limit is ${generations}: start the server with --preset or training.rl.max_generations: ${generations}, or train with --set rl.max_generations=${steps}`,
      );
    }
    if (tokens >= most) return pass;
    return refuse(
      `${server} ends a response after ${tokens} tokens, the trainer after ${most}: give both the same limit`,
    );
  },

  /** A judge or test gives a verdict. */
  reward({ environment, trainer }) {
    if (!environment?.url || environment.problem !== null)
      return unchecked('the reward: no environment server answers');
    if (trainer?.loaded?.firstTask === undefined)
      return unchecked('the reward: no task could be read from here to ask with');
    const { judgeProblem } = environment;
    return judgeProblem === null
      ? pass
      : refuse(`the environment server gives no verdict on a probe (${judgeProblem}); see to its judge`);
  },
} satisfies Record<string, Judge>;

export interface GateSubject {
  /** Absolute path. */
  readonly runFolder: string;
  readonly run: RunFile;
  readonly job: string;
  readonly training: Pick<TrainingConfig, 'set'>;
  readonly plan: TrainingPlan;
  readonly rendered: RenderedJob;
  /** Python of the trainer's environment; null if it is not on this machine. */
  readonly python: string | null;
  /** True if the number of GPUs was given. */
  readonly gpusGiven: boolean;
  readonly auditDataset: DatasetAuditor;
}

export interface GateVerdict {
  readonly gate: string;
  readonly result: GateResult;
}

/**
 * Judges a job by every gate of its trainer, both for a start and a dry run. Read-only; the trainer's Python loads the
 * dataset.
 */
export async function judgeJob(
  subject: GateSubject,
): Promise<{ readonly facts: GateFacts; readonly verdicts: readonly GateVerdict[] }> {
  const facts = await gatherGateFacts(subject);
  return { facts, verdicts: judgeFacts(facts) };
}

const checks = { ...jobGates, ...modelGates, ...trainerGates, ...environmentGates } satisfies Record<
  string,
  Judge
>;
type Checks = readonly (keyof typeof checks)[];

const shared = {
  rows: ['rows', 'data files', 'loaded rows'],
  masks: ['masks'],
  ids: ['model', 'tokenizer'],
  disk: ['job folder', 'disk'],
  trainer: ['trainer', 'keys'],
} satisfies Record<string, Checks>;
/** Gates for rows of ids and masks. */
const gatesOfRows: Readonly<Record<string, Checks>> = {
  ...shared,
  batch: ['batch'],
  memory: ['GPUs', 'row length'],
};
/** Gates for reinforcement learning tasks. */
const gatesOfTasks: Readonly<Record<string, Checks>> = {
  ...shared,
  batch: ['tasks a step'],
  memory: ['GPUs', 'machines', 'lengths'],
  environment: ['environment', 'reward'],
};

export function gatesOf(trainer: TrainerName): Readonly<Record<string, Checks>> {
  return trainerTable[trainer].method === 'rl' ? gatesOfTasks : gatesOfRows;
}

/** Results of a trainer's gates in order. */
export function judgeFacts(facts: GateFacts): GateVerdict[] {
  return Object.entries(gatesOf(facts.plan.trainer)).map(([gate, names]) => ({
    gate,
    result: worstOf(names.map((name) => checks[name](facts))),
  }));
}

/** Combines several checks: the worst kind, with all texts of that kind. */
function worstOf(results: readonly GateResult[]): GateResult {
  for (const kind of ['refuse', 'lacks', 'unchecked'] as const) {
    const messages = results.flatMap((result) => (result.kind === kind ? [result.message] : []));
    if (messages.length > 0) return { kind, message: messages.join('; also: ') };
  }
  return pass;
}

/**
 * Accepts a job that no gate rejects and for which this machine has everything.
 *
 * @returns facts that could not be checked from here, each with the reason
 * @throws UserError that lists the problems, each with a remedy
 */
export function passGates(verdicts: readonly GateVerdict[]): string[] {
  const refusals = messagesOf(verdicts, 'refuse', 'lacks');
  if (refusals.length > 0) throw new UserError(refusals.join('; also: '));
  return messagesOf(verdicts, 'unchecked');
}

function messagesOf(
  verdicts: readonly GateVerdict[],
  ...kinds: readonly Exclude<GateResult['kind'], 'pass'>[]
): string[] {
  return verdicts.flatMap(({ result }) =>
    result.kind !== 'pass' && kinds.includes(result.kind) ? [result.message] : [],
  );
}

async function gatherGateFacts(subject: GateSubject): Promise<GateFacts> {
  const { plan, run, job, runFolder, rendered, python, gpusGiven, auditDataset } = subject;
  const setKeys = Object.keys(subject.training.set);
  const jobFolder = jobFolderOf(runFolder, job);
  const tokenizer = tokenizerOf(run);
  const { facts: dataset, manifest } = await datasetFacts(plan.dataset.folder, tokenizer, auditDataset);
  const { train, validation } = datasetFilesOf(trainerTable[plan.trainer], manifest);
  // Loading runs a program of the dataset, so the dataset must be unchanged since the export.
  const isAsExported = judgeDataFiles({ plan, dataset }).kind === 'pass';
  const trainer =
    python === null || !isAsExported
      ? null
      : await trainerFacts({ python, plan, files: { train, validation }, readsKeys: setKeys.length > 0 });
  return {
    plan,
    setKeys,
    gpusGiven,
    folderProblem: await folderProblem(jobFolder, `${run.name}/${job}`, rendered.follow),
    dataset,
    model: await modelFolderFacts(plan, { ...manifest.tokenizer, source: tokenizer }),
    trainer,
    freeBytes: await freeBytes(jobFolder),
    environment:
      (await trainerTable[plan.trainer].environmentFacts?.(process.env, trainer?.loaded?.firstTask)) ?? null,
  };
}

/** Tokenizer of the run's configuration; null without one. */
function tokenizerOf({ config }: RunFile): string | null {
  const { dataset } = config as { dataset?: { tokenizer?: unknown } };
  return typeof dataset?.tokenizer === 'string' ? dataset.tokenizer : null;
}

/**
 * Reads a dataset's manifest and audits the dataset.
 *
 * @param tokenizer name or path of its tokenizer; null: the name in the manifest
 */
async function datasetFacts(
  folder: string,
  tokenizer: string | null,
  auditDataset: DatasetAuditor,
): Promise<{ facts: DatasetFacts; manifest: Manifest }> {
  const path = join(folder, 'manifest.json');
  const bytes = await readFile(path);
  const manifest = parseManifest(path, bytes.toString('utf8'));
  const manifestSha256 = sha256Hex(bytes);
  const audit = await auditDataset(folder, manifest, tokenizer ?? undefined);
  return { facts: { manifestSha256, audit, tokenizerName: manifest.tokenizer.name }, manifest };
}

function parseManifest(path: string, text: string): Manifest {
  try {
    return parseStored(manifestSchema, text);
  } catch (cause) {
    throw new UserError(
      `${path}: damaged (${(cause as Error).message}); make the dataset again: the command of the run, with --from export`,
      { cause },
    );
  }
}

async function freeBytes(path: string): Promise<number> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
