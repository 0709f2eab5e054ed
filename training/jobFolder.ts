import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { replaceFile } from '../base/files/atomicFile.ts';
import { ifThere } from '../base/files/diskError.ts';
import { lockFolder } from '../base/files/lockFolder.ts';
import { readPlain } from '../base/files/plainFile.ts';
import { sealedFile } from '../base/journal/sealed.ts';
import { parseSealedAs } from '../base/parseStored.ts';
import { UserError } from '../base/userError.ts';
import {
  type JobAttempt,
  type JobOutput,
  type JobRecord,
  jobRecordSchema,
} from '../schemas/training/jobRecord.ts';

/** The file of a job's folder that says what was started. */
const RECORD_FILE = 'job.json';

/** Longer than a launcher's grace for a trainer that is stopped. */
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 100;

export function jobFolderOf(runFolder: string, job: string): string {
  return join(runFolder, 'train', job);
}

/** Names of a run's jobs that were started, in order; a damaged one is among them, and hides no other. */
export async function startedJobs(runFolder: string): Promise<string[]> {
  const names = (await ifThere(readdir(join(runFolder, 'train')))) ?? [];
  return names.filter((name) => existsSync(join(jobFolderOf(runFolder, name), RECORD_FILE))).sort();
}

/** A job's record; undefined when it was never started. Throws `UserError` when the file is damaged. */
export async function readJob(folder: string): Promise<JobRecord | undefined> {
  const path = join(folder, RECORD_FILE);
  const bytes = await ifThere(readPlain(path, { within: folder }));
  if (!bytes) return undefined;
  try {
    return parseSealedAs(jobRecordSchema, bytes);
  } catch (error) {
    throw new UserError(
      `${path}: damaged, or of another version (${(error as Error).message}); restore it, or start the job under another name with --job`,
      { cause: error },
    );
  }
}

/** Writes a job's record. The folder is locked by the caller. */
export function writeJob(folder: string, record: JobRecord): Promise<void> {
  return replaceFile(join(folder, RECORD_FILE), sealedFile(record));
}

/**
 * Does something to a job while no other process does. Others have the folder for moments, or for as long as a trainer
 * takes to stop: they are waited for.
 *
 * @throws UserError that names the holder when it keeps the folder for too long
 */
export async function withJob<T>(folder: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const unlock = await lockPatiently(folder, clock);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function lockPatiently(folder: string, clock: Clock): Promise<() => Promise<void>> {
  const giveUpAt = clock.monotonicMs() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await lockFolder(folder);
    } catch (error) {
      if (!(error instanceof UserError) || clock.monotonicMs() >= giveUpAt) throw error;
      await clock.sleep(LOCK_POLL_MS);
    }
  }
}

/** The latest attempt of a job that was started. */
export function lastAttempt(record: JobRecord): JobAttempt {
  const attempt = record.attempts.at(-1);
  if (!attempt) throw new Error(`job ${record.job} has no attempt`);
  return attempt;
}

/** The record with its latest attempt changed. */
export function withLastAttempt(record: JobRecord, changed: Partial<JobAttempt>): JobRecord {
  return {
    ...record,
    attempts: record.attempts.with(-1, { ...lastAttempt(record), ...changed }),
  };
}

/**
 * Why a job can't start in its folder: it was started before, and is resumed or takes another name, since its checkpoints
 * belong to its own plan; or somebody else's training is there.
 *
 * @param name `RUN/JOB`
 * @returns null for a folder that can be used
 */
export async function folderProblem(folder: string, name: string, follow: JobOutput): Promise<string | null> {
  const record = await readJob(folder);
  if (!record) return unrecordedTraining(folder, follow);
  const { end } = lastAttempt(record);
  const state = end === null ? 'runs already' : `was started before (${end.outcome})`;
  return `job ${name} ${state}; resume it with: coa-distill train resume ${name} (or start another with --job NAME)`;
}

/**
 * A training of somebody else in the folder, as one that was started by hand leaves it: the trainer would go on from its
 * checkpoints, whatever they were trained on, and its log would count as the job's own.
 */
async function unrecordedTraining(
  folder: string,
  { checkpoint_folder, metrics_file, earlier_metrics_file }: JobOutput,
): Promise<string | null> {
  for (const place of [checkpoint_folder, metrics_file, earlier_metrics_file]) {
    if (place === null) continue;
    const path = join(folder, place);
    if (await isEmpty(path)) continue;
    return `${path} is there already, of a training that coa-distill did not start; name another job with --job, or move it away`;
  }
  return null;
}

/** Whether a file or folder holds nothing, or is not there. */
async function isEmpty(path: string): Promise<boolean> {
  const found = await ifThere(stat(path));
  if (!found) return true;
  return found.isDirectory() ? (await readdir(path)).length === 0 : found.size === 0;
}
