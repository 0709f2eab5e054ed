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

const RECORD_FILE = 'job.json';

/** Longer than a launcher's grace period for stopping a trainer. */
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 100;

export function jobFolderOf(runFolder: string, job: string): string {
  return join(runFolder, 'train', job);
}

/** Names of a run's started jobs in order, including damaged ones. */
export async function startedJobs(runFolder: string): Promise<string[]> {
  const names = (await ifThere(readdir(join(runFolder, 'train')))) ?? [];
  return names.filter((name) => existsSync(join(jobFolderOf(runFolder, name), RECORD_FILE))).sort();
}

/** Reads a job's record; undefined if it was never started. Throws `UserError` if the file is damaged. */
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

export function writeJob(folder: string, record: JobRecord): Promise<void> {
  return replaceFile(join(folder, RECORD_FILE), sealedFile(record));
}

/**
 * Runs `work` with a job's folder locked. Waits for other holders, which take as long as stopping a trainer at most.
 *
 * @throws UserError that names the holder on timeout
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

export function lastAttempt(record: JobRecord): JobAttempt {
  const attempt = record.attempts.at(-1);
  if (!attempt) throw new Error(`job ${record.job} has no attempt`);
  return attempt;
}

export function withLastAttempt(record: JobRecord, changed: Partial<JobAttempt>): JobRecord {
  return {
    ...record,
    attempts: record.attempts.with(-1, { ...lastAttempt(record), ...changed }),
  };
}

/**
 * Reason why a job can't start in its folder: it was started before, and must be resumed or renamed, since its
 * checkpoints belong to its plan; or the folder contains another training.
 *
 * @param name `RUN/JOB`
 * @returns null for a usable folder
 */
export async function folderProblem(folder: string, name: string, follow: JobOutput): Promise<string | null> {
  const record = await readJob(folder);
  if (!record) return unrecordedTraining(folder, follow);
  const { end } = lastAttempt(record);
  const state = end === null ? 'runs already' : `was started before (${end.outcome})`;
  return `job ${name} ${state}; resume it with: coa-distill train resume ${name} (or start another with --job NAME)`;
}

/**
 * Finds a training started by hand in the folder: the trainer would resume from its checkpoints, and its log would be
 * mixed with the job's own.
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

/** True if a file or folder is empty or does not exist. */
async function isEmpty(path: string): Promise<boolean> {
  const found = await ifThere(stat(path));
  if (!found) return true;
  return found.isDirectory() ? (await readdir(path)).length === 0 : found.size === 0;
}
