import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { moveIntoPlace, replaceFile } from '../base/files/atomicFile.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { listCheckpoints, planResume } from './planResume.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** How a job's folder was made ready for the next start. */
export interface PreparedResume {
  readonly fromStep: number;
  /** What was renamed, each as `old name -> new name`, inside the job's folder. Nothing is deleted. */
  readonly setAside: readonly string[];
}

/**
 * Makes a job's folder ready to be started again, so that the trainer goes on from the newest whole checkpoint: sets
 * torn checkpoints aside, and changes what the trainer itself reads of its folder.
 *
 * @param brokenStep step of the checkpoint that the last attempt could not read; null where it could
 */
export async function prepareResume(
  jobFolder: string,
  { follow, plan }: Pick<JobRecord, 'follow' | 'plan'>,
  brokenStep: number | null = null,
): Promise<PreparedResume> {
  const { checkpoints: rules } = trainerTable[plan.trainer];
  const folder = join(jobFolder, follow.checkpoint_folder);
  const { fromStep, torn } = planResume(await listCheckpoints(rules, folder), brokenStep);
  const changes = await rules.changesFor?.(folder, { fromStep, stepsPerEpoch: plan.steps.per_epoch });
  for (const [path, text] of changes?.written ?? []) await replaceFile(join(folder, path), text);
  // The new name begins otherwise: transformers deletes old checkpoints by the beginning of the name.
  const moves = torn.map(rules.nameOf).map((name) => [name, `torn-${name}`] as const);
  const setAside: string[] = [];
  for (const [from, to] of [...moves, ...(changes?.renamed ?? [])]) {
    if (!existsSync(join(folder, from))) continue;
    const free = freeName(join(folder, to));
    await moveIntoPlace(join(folder, from), free);
    setAside.push(`${join(follow.checkpoint_folder, from)} -> ${basename(free)}`);
  }
  return { fromStep, setAside };
}

function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : join(dirname(path), `${basename(path)}-${n}`);
    if (!existsSync(name)) return name;
  }
}
