import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../base/userError.ts';
import type { RenderedJob } from '../../contract/launcher.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { findRun } from '../../operations/findRun.ts';
import { resumeCommandOf } from '../../operations/resumeCommandOf.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { readManifest } from '../../pipeline/run/readManifest.ts';
import { configSchema } from '../../schemas/config/config.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { jobFolderOf } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { planTraining } from '../../training/plan/planTraining.ts';
import { renderJob } from '../../training/render/renderJob.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { findGpus } from './gpus.ts';
import { readModelFacts } from './readModelFacts.ts';
import { trainingFromCommandLine } from './trainingFromCommandLine.ts';
import type { TrainCommandOptions } from './trainOptions.ts';

const jobName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** A job as the command line asks for it; nothing is written yet. */
export interface PlannedJob {
  /** Absolute. */
  readonly runFolder: string;
  readonly run: RunFile;
  readonly job: string;
  /** Absolute. */
  readonly jobFolder: string;
  readonly training: TrainingConfig;
  readonly plan: TrainingPlan;
  readonly rendered: RenderedJob;
  /** Python of the trainer's environment; null where it is on another machine. */
  readonly python: string | null;
}

/** Plans and renders a job. Reads the run, the model's folder, and how many GPUs there are; writes nothing. */
export async function planFromCommandLine(name: string, options: TrainCommandOptions): Promise<PlannedJob> {
  const { folder: runFolder, run } = await findRun(name);
  const manifest = await readManifest(runFolder);
  if (!manifest) {
    throw new UserError(`${runFolder} has no finished dataset; finish it with: ${resumeCommandOf(run)}`);
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
    manifestSha256: await sha256Of(join(runFolder, DATASET_MANIFEST)),
    datasetFolder: dirname(join(runFolder, DATASET_MANIFEST)),
    jobFolder,
    run: run.name,
    job,
    model: await readModelFacts(training.model),
    gpusHere: here && training.gpus_per_node === null ? (await findGpus()).count : null,
  });
  const rendered = renderJob(plan, { training, run: run.name, job, jobFolder });
  const python = here ? programHere(training.python ?? process.env.PYTHON ?? 'python3') : null;
  return { runFolder, run, job, jobFolder, training, plan, rendered, python };
}

/** Of a file that is named, or as the run was made with. */
async function trainingSection(run: RunFile, file: string | undefined): Promise<TrainingConfig> {
  if (file !== undefined) return (await loadConfig(file)).config.training;
  return configSchema.parse(run.config).training;
}

/** The job runs in another folder: a program's path becomes absolute. One by its name is looked up on the PATH. */
function programHere(program: string): string {
  return program.includes('/') ? resolve(program) : program;
}

async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
