import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/files/diskError.ts';
import type { RenderedJob } from '../contract/launcher.ts';
import { lastAttempt, readJob } from './jobFolder.ts';

/**
 * Why a job can't start in its folder: it was started before, and is resumed or takes another name, since its checkpoints
 * belong to its own plan; or somebody else's training is there.
 *
 * @param name `RUN/JOB`
 * @returns null for a folder that can be used
 */
export async function folderProblem(
  folder: string,
  name: string,
  { follow }: Pick<RenderedJob, 'follow'>,
): Promise<string | null> {
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
  { checkpointFolder, metricsFile, earlierMetricsFile }: RenderedJob['follow'],
): Promise<string | null> {
  const places = [
    checkpointFolder,
    metricsFile,
    ...(earlierMetricsFile === null ? [] : [earlierMetricsFile]),
  ];
  for (const place of places) {
    const path = join(folder, place);
    if (await isEmpty(path)) continue;
    return `${path} is there already, of a training that coa-distill did not start; name another job with --job, or move it away`;
  }
  return null;
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
