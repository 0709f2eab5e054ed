import { basename, dirname } from 'node:path';
import { suggestion } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import { findRun, runWord } from '../../pipeline/run/findRun.ts';
import type { JobRecord } from '../../schemas/training/jobRecord.ts';
import { jobFolderOf, readJob, startedJobs } from '../../training/jobFolder.ts';

export interface FoundJob {
  readonly folder: string;
  readonly record: JobRecord;
  /** Name as `RUN/JOB`. */
  readonly name: string;
}

/**
 * Finds a started job by `RUN/JOB`, by `RUN` if the run has only one, or by the job's folder.
 *
 * @throws UserError for none or several matches
 */
export async function findJob(name: string): Promise<FoundJob> {
  const wanted = name.replace(/\/+$/, '');
  if (!wanted.includes('/')) return onlyJob(wanted);
  const parent = dirname(wanted);
  // `runs/x/train/sft` is the job's folder; `x/sft` and `runs/x/sft` are run and job.
  const run = basename(parent) === 'train' ? dirname(parent) : parent;
  const direct = await jobOf(run, basename(wanted)).catch((error: unknown) => error);
  if (!(direct instanceof Error)) return direct as FoundJob;
  // A run's own folder also contains a slash.
  if (await isRun(wanted)) return onlyJob(wanted);
  throw direct;
}

async function isRun(name: string): Promise<boolean> {
  return findRun(name).then(
    () => true,
    () => false,
  );
}

async function jobOf(runName: string, job: string): Promise<FoundJob> {
  const { folder, run } = await findRun(runName);
  const record = await readJob(jobFolderOf(folder, job));
  if (!record) {
    const jobs = await startedJobs(folder);
    throw new UserError(
      jobs.length === 0
        ? `${run.name} has no job that was started; start one with: coa-distill train ${runWord(folder)}`
        : `${run.name} has no job "${job}" that was started; ${suggestion(job, jobs)}`,
    );
  }
  return { folder: jobFolderOf(folder, job), record, name: `${runWord(folder)}/${job}` };
}

async function onlyJob(runName: string): Promise<FoundJob> {
  const { folder, run } = await findRun(runName);
  const jobs = await startedJobs(folder);
  if (jobs.length > 1) {
    const names = jobs.map((job) => `${runWord(folder)}/${job}`).join(', ');
    throw new UserError(`${run.name} has ${jobs.length} jobs; name one: ${names}`);
  }
  return jobOf(folder, jobs[0] ?? 'sft');
}
