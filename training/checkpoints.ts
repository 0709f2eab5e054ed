import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { moveIntoPlace, replaceFile } from '../base/files/atomicFile.ts';
import { ifThere } from '../base/files/diskError.ts';
import type { CheckpointRules } from '../contract/trainer.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** The checkpoints of a trainer's output folder, by their steps. */
export interface SavedCheckpoints {
  readonly steps: readonly number[];
  /** Those that were saved to their end. */
  readonly whole: readonly number[];
}

/** How a job goes on. */
interface ResumePlan {
  /** Step of the checkpoint that the trainer will go on from; 0: from the beginning. */
  readonly fromStep: number;
  /** Steps of the checkpoints that were cut off while they were saved, or could not be read. */
  readonly torn: readonly number[];
}

/** Looks at what a trainer saved in a folder; one that is not there is empty. */
export async function listCheckpoints(rules: CheckpointRules, folder: string): Promise<SavedCheckpoints> {
  const steps = (await subFolders(folder)).flatMap((name) => stepOf(rules, name) ?? []).sort((a, b) => a - b);
  return { steps, whole: await rules.wholeSteps(folder, steps) };
}

/** The step of a checkpoint's folder; undefined for other names. */
export function stepOf({ prefix }: Pick<CheckpointRules, 'prefix'>, name: string): number | undefined {
  const step = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d+$/.test(step) ? Number(step) : undefined;
}

/**
 * Finds the newest checkpoint that is whole. Newer ones are torn: trainers would go on from them, whole or not.
 *
 * @param brokenStep step of one that is known to be unreadable, although it looks whole; null where none is
 */
export function planResume({ steps, whole }: SavedCheckpoints, brokenStep: number | null = null): ResumePlan {
  const isUsable = (step: number): boolean => step !== brokenStep && whole.includes(step);
  const fromStep = Math.max(0, ...steps.filter(isUsable));
  return { fromStep, torn: steps.filter((step) => step > fromStep || !isUsable(step)) };
}

/** The newest whole checkpoint of a job, with its model as transformers loads it; null where none is on this machine. */
export async function newestCheckpoint(
  jobFolder: string,
  { follow, plan }: Pick<JobRecord, 'follow' | 'plan'>,
): Promise<{ readonly folder: string; readonly model: string } | null> {
  const { checkpoints: rules } = trainerTable[plan.trainer];
  const saved = join(jobFolder, follow.checkpoint_folder);
  const { fromStep } = planResume(await listCheckpoints(rules, saved));
  if (fromStep === 0) return null;
  const folder = join(saved, `${rules.prefix}${fromStep}`);
  return { folder, model: join(folder, rules.modelFolder) };
}

async function subFolders(folder: string): Promise<string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** How a job's folder was made ready for the next start. */
interface PreparedResume {
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
  const moves = torn.map((step) => [`${rules.prefix}${step}`, `torn-${rules.prefix}${step}`] as const);
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
