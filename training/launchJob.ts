import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { replaceFile } from '../base/files/atomicFile.ts';
import { makeFolder } from '../base/files/makeFolder.ts';
import { packageVersion } from '../base/packageVersion.ts';
import { UserError } from '../base/userError.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobOutput, JobRecord } from '../schemas/training/jobRecord.ts';
import { closeAttempt } from './closeAttempt.ts';
import { type GateSubject, judgeJob, passGates } from './gates/judgeJob.ts';
import { folderProblem, jobFolderOf, readJob, withJob } from './jobFolder.ts';
import { startAttempt } from './startAttempt.ts';

interface LaunchOptions extends GateSubject {
  readonly control: JobControl;
  readonly clock: Clock;
}

interface LaunchedJob {
  readonly folder: string;
  readonly record: JobRecord;
}

/**
 * Starts a job: passes the gates, writes its files, starts it and records its handle.
 *
 * @throws UserError if a gate rejects, or the job's folder already contains a training
 */
export async function launchJob(options: LaunchOptions): Promise<LaunchedJob> {
  const { runFolder, run, job, plan, python, control, clock } = options;
  const { files, start, follow } = options.rendered;
  const folder = jobFolderOf(runFolder, job);
  const name = `${run.name}/${job}`;
  if (await readJob(folder)) await closeAttempt(folder, control, clock);
  // Before the check of the dataset, which takes minutes.
  await refuseUsed(folder, name, follow);
  const { facts, verdicts } = await judgeJob(options);
  const unchecked = passGates(verdicts);
  await makeFolder(folder);
  return withJob(folder, clock, async () => {
    // Another process may have started a job during the gates.
    await refuseUsed(folder, name, follow);
    for (const { path, text } of files) {
      await makeFolder(dirname(join(folder, path)));
      await replaceFile(join(folder, path), text);
    }
    const record: JobRecord = {
      format_version: 1,
      run: run.name,
      job,
      coa_distill_version: packageVersion(),
      config_hash: run.config_hash,
      plan,
      // Keeps PYTHON for a resume from another shell.
      start: { argv: [...start.argv], env: { ...start.env, ...(python !== null && { PYTHON: python }) } },
      follow,
      unchecked,
      versions: { ...facts.trainer?.versions },
      attempts: [],
    };
    return { folder, record: await startAttempt(folder, record, control, clock) };
  });
}

async function refuseUsed(folder: string, name: string, follow: JobOutput): Promise<void> {
  const problem = await folderProblem(folder, name, follow);
  if (problem !== null) throw new UserError(problem);
}
