import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { moveIntoPlace, replaceFile } from '../base/files/atomicFile.ts';
import { ifThere } from '../base/files/diskError.ts';
import type { CheckpointRules } from '../contract/trainer.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** Checkpoints in a trainer's output folder, by step. */
export interface SavedCheckpoints {
  readonly steps: readonly number[];
  /** Completely saved ones. */
  readonly whole: readonly number[];
}

interface ResumePlan {
  /** Step of the checkpoint that the trainer resumes from; 0: from the beginning. */
  readonly fromStep: number;
  /** Steps of incomplete or unreadable checkpoints. */
  readonly torn: readonly number[];
}

/** Lists the checkpoints in a folder; empty if it does not exist. */
export async function listCheckpoints(rules: CheckpointRules, folder: string): Promise<SavedCheckpoints> {
  const steps = (await subFolders(folder)).flatMap((name) => stepOf(rules, name) ?? []).sort((a, b) => a - b);
  return { steps, whole: await rules.wholeSteps(folder, steps) };
}

/** Step of a checkpoint folder; undefined for other names. */
export function stepOf({ prefix }: Pick<CheckpointRules, 'prefix'>, name: string): number | undefined {
  const step = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^\d+$/.test(step) ? Number(step) : undefined;
}

/**
 * Finds the newest complete checkpoint. Newer ones are torn; trainers would resume from them even if incomplete.
 *
 * @param brokenStep step of a checkpoint that is known to be unreadable despite looking complete; null if none
 */
export function planResume({ steps, whole }: SavedCheckpoints, brokenStep: number | null = null): ResumePlan {
  const isUsable = (step: number): boolean => step !== brokenStep && whole.includes(step);
  const fromStep = Math.max(0, ...steps.filter(isUsable));
  return { fromStep, torn: steps.filter((step) => step > fromStep || !isUsable(step)) };
}

/** Newest complete checkpoint of a job, with its model as loadable by transformers; null if none is on this machine. */
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

interface PreparedResume {
  readonly fromStep: number;
  /** Renames inside the job's folder, each as `old name -> new name`. Nothing is deleted. */
  readonly setAside: readonly string[];
}

/**
 * Prepares a job's folder so that the trainer resumes from the newest complete checkpoint: moves torn checkpoints
 * aside, and adapts the trainer's own state files.
 *
 * @param brokenStep step of the checkpoint that the last attempt could not read; null if it could
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
  // Uses another prefix, since transformers deletes old checkpoints by the prefix of the name.
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
