import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { jsonValueOf, parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { RenderedJob } from '../../contract/launcher.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { resumeCommandOf } from '../../operations/resumeCommandOf.ts';
import { loadConfig, tasksUnread } from '../../pipeline/config/loadConfig.ts';
import { configOfRun } from '../../pipeline/config/parseConfig.ts';
import { findRun } from '../../pipeline/run/findRun.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { jobFolderOf } from '../../training/jobFolder.ts';
import { readPodTemplate } from '../../training/launchers/kubernetes/kubernetesManifest.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { type ModelFacts, modelFactsOfName } from '../../training/plan/estimateJob.ts';
import { planTraining } from '../../training/plan/planTraining.ts';
import { renderJob } from '../../training/render/renderJob.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { findGpus } from './gpus.ts';
import { type TrainCommandOptions, trainingFromCommandLine } from './trainingFromCommandLine.ts';

const jobName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Job from the command line, not written yet. */
export interface PlannedJob {
  readonly runFolder: string;
  readonly run: RunFile;
  readonly job: string;
  readonly jobFolder: string;
  readonly training: TrainingConfig;
  readonly plan: TrainingPlan;
  readonly rendered: RenderedJob;
  /** Python of the trainer's environment; null if it is on another machine. */
  readonly python: string | null;
}

/** Plans and renders a job. Reads the run, the model's folder and the number of GPUs; writes nothing. */
export async function planFromCommandLine(name: string, options: TrainCommandOptions): Promise<PlannedJob> {
  const { folder: runFolder, run } = await findRun(name);
  const manifest = await readManifest(runFolder);
  if (!manifest) {
    throw new UserError(
      `${runFolder} has no finished dataset; finish it with: ${resumeCommandOf(run, runFolder)}`,
    );
  }
  const training = trainingFromCommandLine(await trainingSection(run, options.config), options);
  const job = options.job ?? trainerTable[training.trainer].method;
  if (!jobName.test(job)) {
    throw new UserError(`--job: expected letters, digits, dots, dashes and underscores, got "${job}"`);
  }
  const here = launcherTable[training.launcher].runsHere;
  const jobFolder = jobFolderOf(runFolder, job);
  const plan = planTraining({
    training,
    manifest,
    manifestSha256: await sha256OfFile(join(runFolder, DATASET_MANIFEST)),
    datasetFolder: dirname(join(runFolder, DATASET_MANIFEST)),
    jobFolder,
    run: run.name,
    job,
    model: await readModelFacts(training.model),
    gpusHere: here && training.gpus_per_node === null ? (await findGpus()).count : null,
  });
  const rendered = renderJob(plan, {
    training,
    podTemplate: await readPodTemplate(training.kubernetes.pod_template),
    run: run.name,
    job,
    jobFolder,
  });
  const python = here ? programHere(training.python ?? process.env.PYTHON ?? 'python3') : null;
  return { runFolder, run, job, jobFolder, training, plan, rendered, python };
}

/** `training` section of a named file, or of the run. */
async function trainingSection(run: RunFile, file: string | undefined): Promise<TrainingConfig> {
  const config = file === undefined ? configOfRun(run) : (await loadConfig(file, {}, tasksUnread())).config;
  return config.training;
}

/** Makes a program's path absolute, since the job runs in another folder. Bare names are looked up in PATH. */
function programHere(program: string): string {
  return program.includes('/') ? resolve(program) : program;
}

/** Maximum size of a safetensors header, as in the format's own reader. */
const MAX_HEADER_BYTES = 100_000_000;

const configFileSchema = z.object({
  num_hidden_layers: z.int().positive(),
  hidden_size: z.int().positive(),
  vocab_size: z.int().positive(),
});

const tensorSchema = z.object({ shape: z.array(z.int().nonnegative()) });

/**
 * Model facts for estimates: from a folder's `config.json` and weight headers, otherwise from the name. Missing or
 * unreadable values are null, which the gates report.
 */
async function readModelFacts(model: string): Promise<ModelFacts> {
  const named = modelFactsOfName(model);
  if (!existsSync(model)) return named;
  const text = await readFile(join(model, 'config.json'), 'utf8').catch(() => '');
  const config = configFileSchema.safeParse(jsonValueOf(text));
  return {
    parameters: (await weightsOf(model)) ?? named.parameters,
    layers: config.data?.num_hidden_layers ?? null,
    hiddenSize: config.data?.hidden_size ?? null,
    vocabularySize: config.data?.vocab_size ?? null,
  };
}

/** Number of weights in all `*.safetensors`; null if none or unreadable. */
async function weightsOf(folder: string): Promise<number | null> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.safetensors'));
  if (files.length === 0) return null;
  const counts = await Promise.all(files.map((name) => weightsOfFile(join(folder, name)).catch(() => null)));
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

/** The header is its length (64 bits, little-endian) and JSON: https://huggingface.co/docs/safetensors */
async function weightsOfFile(path: string): Promise<number> {
  await using file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(8) });
  const length = Number(buffer.readBigUInt64LE());
  if (length > MAX_HEADER_BYTES) throw new RangeError(`${path} has a header of ${length} bytes`);
  const header = await file.read({ buffer: Buffer.alloc(length), position: 8 });
  const { __metadata__, ...tensors } = parseJson(header.buffer.toString('utf8')) as Record<string, unknown>;
  return Object.values(tensors)
    .map((tensor) => tensorSchema.parse(tensor).shape.reduce((product, size) => product * size, 1))
    .reduce((sum, size) => sum + size, 0);
}
