import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { moveIntoPlace, replaceFile } from '../../base/files/atomicFile.ts';
import type { JobRecord } from '../../schemas/training/jobRecord.ts';
import { tornName, verlTrackerFile } from './checkpointLayout.ts';
import { listCheckpoints } from './listCheckpoints.ts';
import { planResume } from './planResume.ts';

/** How a job's folder was made ready for the next start. */
export interface PreparedResume {
  readonly fromStep: number;
  /** What was renamed, each as `old name -> new name`, inside the job's folder. Nothing is deleted. */
  readonly setAside: readonly string[];
}

/**
 * Makes a job's folder ready to be started again, so that the trainer goes on from the newest whole checkpoint: puts
 * torn checkpoints and exhausted data loaders of verl aside.
 *
 * @param brokenStep step of the checkpoint that the last attempt could not read; null where it could
 */
export async function prepareResume(
  jobFolder: string,
  { follow, plan }: Pick<JobRecord, 'follow' | 'plan'>,
  brokenStep: number | null = null,
): Promise<PreparedResume> {
  const folder = join(jobFolder, follow.checkpoint_folder);
  const listing = await listCheckpoints(follow.metrics_format, folder);
  const resume = planResume(listing, plan.steps.per_epoch, brokenStep);
  const moves: [from: string, to: string][] = resume.torn.map((name) => [
    join(folder, name),
    join(folder, tornName(name)),
  ]);
  if (resume.exhaustedLoader !== null)
    moves.push(...(await loaderMoves(join(folder, resume.exhaustedLoader))));
  if (resume.tracker === 0)
    moves.push([join(folder, verlTrackerFile), join(folder, tornName(verlTrackerFile))]);
  if (resume.tracker !== null && resume.tracker > 0) {
    await replaceFile(join(folder, verlTrackerFile), String(resume.tracker));
  }
  const setAside: string[] = [];
  for (const [from, to] of moves) {
    if (!existsSync(from)) continue;
    const free = freeName(to);
    await moveIntoPlace(from, free);
    setAside.push(`${from.slice(jobFolder.length + 1)} -> ${basename(free)}`);
  }
  return { fromStep: resume.fromStep, setAside };
}

/** verl writes a loader's state for each data-parallel rank. */
async function loaderMoves(checkpoint: string): Promise<[from: string, to: string][]> {
  const names = (await readdir(checkpoint)).filter((name) => /^data_\d+\.pt$/.test(name));
  return names.map((name) => [join(checkpoint, name), join(checkpoint, `${name}.epoch_end`)]);
}

function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : join(dirname(path), `${basename(path)}-${n}`);
    if (!existsSync(name)) return name;
  }
}
