import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { systemErrorCode } from '../base/files/diskError.ts';
import { sha256Hex } from '../base/ids.ts';
import { UserError } from '../base/userError.ts';
import type { JobControl } from '../contract/launcher.ts';
import { changedFiles } from '../output/check/datasetFiles.ts';
import { manifestSchema } from '../schemas/manifest.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { causeAdvice } from './causes/crashCause.ts';
import { listCheckpoints, planResume } from './checkpoints.ts';
import { closeAttempt } from './closeAttempt.ts';
import { lastAttempt, readJob, withJob } from './jobFolder.ts';
import { startAttempt } from './startAttempt.ts';
import { trainerTable } from './trainers/trainerTable.ts';

interface ResumeResult {
  /** `running`: still running; `finished`: nothing is left to do; `resumed`: started again. */
  readonly found: 'running' | 'finished' | 'resumed';
  readonly record: JobRecord;
}

interface ResumeOptions {
  readonly control: JobControl;
  readonly clock: Clock;
  /** Throws if the job should not be started again. */
  beforeStart(record: JobRecord): Promise<void>;
}

/**
 * Resumes a job that ended early; running and finished jobs are left unchanged.
 *
 * @throws UserError for a job with a NaN loss, or with checkpoints that can't be resumed
 */
export async function resumeJob(
  folder: string,
  { control, clock, beforeStart }: ResumeOptions,
): Promise<ResumeResult> {
  await closeAttempt(folder, control, clock);
  return withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const { end } = lastAttempt(record);
    if (end === null) return { found: 'running', record };
    if (end.outcome === 'finished') return { found: 'finished', record };
    if (end.cause === 'nan_loss') {
      throw new UserError(
        `${folder}: ${end.last_words}, and its checkpoints hold such weights; ${causeAdvice.nan_loss}`,
      );
    }
    await refuseBareWeights(folder, record);
    await beforeStart(record);
    return { found: 'resumed', record: await startAttempt(folder, record, control, clock) };
  });
}

/**
 * Rejects checkpoints without optimiser state and data position, since a trainer would silently start both from the
 * beginning.
 */
async function refuseBareWeights(folder: string, { plan, follow }: JobRecord): Promise<void> {
  const { checkpoints, footprintOf } = trainerTable[plan.trainer];
  if (footprintOf(plan.hyper_parameters).savesOptimizer) return;
  const saved = await listCheckpoints(checkpoints, join(folder, follow.checkpoint_folder));
  // A job without a checkpoint starts from the beginning, as intended.
  if (planResume(saved).fromStep === 0) return;
  throw new UserError(
    `${folder}: its checkpoints hold the weights and not the optimiser's state (save_only_model), so that it can't be resumed; start it again under another --job name, without save_only_model`,
  );
}

/**
 * Checks that a resumed job uses the same rows: an edited or re-exported dataset would mix two trainings untraceably.
 *
 * @throws UserError that names the changes
 */
export async function refuseChangedData({ plan }: Pick<JobRecord, 'plan'>): Promise<void> {
  const { folder, manifest_sha256 } = plan.dataset;
  const path = join(folder, 'manifest.json');
  const bytes = await readOrRefuse(path);
  if (sha256Hex(bytes) !== manifest_sha256) throw changed(path, 'it was rewritten');
  const manifest = manifestSchema.parse(JSON.parse(bytes.toString('utf8')));
  for await (const { file, message } of changedFiles(folder, manifest)) throw changed(file, message);
}

async function readOrRefuse(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw changed(path, 'it is not there');
    throw error;
  }
}

function changed(path: string, how: string): UserError {
  return new UserError(
    `${path}: ${how}; the job was started with other data: restore the dataset as it was, or start a new job with --job NAME`,
  );
}
