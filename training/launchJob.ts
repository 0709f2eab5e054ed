import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { replaceFile } from '../base/files/atomicFile.ts';
import { systemErrorCode } from '../base/files/diskError.ts';
import { makeFolder } from '../base/files/makeFolder.ts';
import { packageVersion } from '../base/packageVersion.ts';
import { UserError } from '../base/userError.ts';
import type { JobControl, RenderedJob } from '../contract/launcher.ts';
import type { DatasetAuditor } from '../contract/trainingGate.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';
import { closeAttempt } from './closeAttempt.ts';
import { gatherGateFacts } from './gates/gatherGateFacts.ts';
import { passGates } from './gates/passGates.ts';
import { jobFolderOf, lastAttempt, readJob, withJob } from './jobFolder.ts';
import { startAttempt } from './startAttempt.ts';

/** What is launched, and by what. */
interface LaunchOptions {
  /** Absolute. */
  readonly runFolder: string;
  readonly run: RunFile;
  readonly job: string;
  readonly plan: TrainingPlan;
  readonly rendered: RenderedJob;
  /** Python of the trainer's environment; null where it is not on this machine. */
  readonly python: string | null;
  readonly control: JobControl;
  readonly clock: Clock;
  readonly auditDataset: DatasetAuditor;
}

/** A job that was started. */
interface LaunchedJob {
  readonly folder: string;
  readonly record: JobRecord;
}

/**
 * Starts a job: passes the gates, writes its files, starts it and writes down how to find it again.
 *
 * @throws UserError when a gate refuses, or the job's folder holds a training already
 */
export async function launchJob(options: LaunchOptions): Promise<LaunchedJob> {
  const { runFolder, run, job, plan, rendered, python, control, clock, auditDataset } = options;
  const folder = jobFolderOf(runFolder, job);
  const name = `${run.name}/${job}`;
  if (await readJob(folder)) await closeAttempt(folder, control, clock);
  await refuseUsed(folder, name, rendered);
  const facts = await gatherGateFacts({
    plan,
    jobFolder: folder,
    python,
    tokenizer: tokenizerOf(run),
    auditDataset,
  });
  const unchecked = passGates(facts);
  await makeFolder(folder);
  return withJob(folder, clock, async () => {
    // Somebody else may have been quicker while the gates looked.
    await refuseUsed(folder, name, rendered);
    for (const { path, text } of rendered.files) {
      await makeFolder(dirname(join(folder, path)));
      await replaceFile(join(folder, path), text);
    }
    const { start, follow } = rendered;
    const record: JobRecord = {
      format_version: 1,
      run: run.name,
      job,
      coa_distill_version: packageVersion(),
      config_hash: run.config_hash,
      plan,
      // A resume may come from a shell with another PYTHON.
      start: { argv: [...start.argv], env: { ...start.env, ...(python !== null && { PYTHON: python }) } },
      follow: {
        metrics_file: follow.metricsFile,
        earlier_metrics_file: follow.earlierMetricsFile,
        console_file: follow.consoleFile,
        checkpoint_folder: follow.checkpointFolder,
      },
      unchecked,
      versions: { ...facts.trainer?.versions },
      attempts: [],
    };
    return { folder, record: await startAttempt(folder, record, control, clock) };
  });
}

/** A job that was started is resumed, or another name is taken: its checkpoints belong to its own plan. */
async function refuseUsed(folder: string, name: string, { follow }: RenderedJob): Promise<void> {
  const record = await readJob(folder);
  if (!record) return refuseUnrecorded(folder, follow);
  const { end } = lastAttempt(record);
  const state = end === null ? 'runs already' : `was started before (${end.outcome})`;
  throw new UserError(
    `job ${name} ${state}; resume it with: coa-distill train resume ${name} (or start another with --job NAME)`,
  );
}

function tokenizerOf({ config }: RunFile): string | null {
  const { dataset } = config as { dataset?: { tokenizer?: unknown } };
  return typeof dataset?.tokenizer === 'string' ? dataset.tokenizer : null;
}

/**
 * Makes sure that a job's first start finds no training of somebody else in its folder, as one that was started by hand
 * leaves it: the trainer would go on from its checkpoints, whatever they were trained on, and its log would count as
 * the job's own.
 *
 * @throws UserError that names what is there
 */
async function refuseUnrecorded(
  folder: string,
  { checkpointFolder, metricsFile, earlierMetricsFile }: RenderedJob['follow'],
): Promise<void> {
  const places = [
    checkpointFolder,
    metricsFile,
    ...(earlierMetricsFile === null ? [] : [earlierMetricsFile]),
  ];
  for (const place of places) {
    const path = join(folder, place);
    if (await isEmpty(path)) continue;
    throw new UserError(
      `${path} is there already, of a training that coa-distill did not start; name another job with --job, or move it away`,
    );
  }
}

/** Whether a file or folder holds nothing, or is not there. */
async function isEmpty(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? (await readdir(path)).length === 0 : found.size === 0;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return true;
    throw error;
  }
}
