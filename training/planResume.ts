import { readdir } from 'node:fs/promises';
import { systemErrorCode } from '../base/files/diskError.ts';
import type { CheckpointRules } from '../contract/trainer.ts';

/** The checkpoints of a trainer's output folder, by their steps. */
export interface SavedCheckpoints {
  readonly steps: readonly number[];
  /** Those that were saved to their end. */
  readonly whole: readonly number[];
}

/** How a job goes on. */
export interface ResumePlan {
  /** Step of the checkpoint that the trainer will go on from; 0: from the beginning. */
  readonly fromStep: number;
  /** Steps of the checkpoints that were cut off while they were saved, or could not be read. */
  readonly torn: readonly number[];
}

/** Looks at what a trainer saved in a folder; one that is not there is empty. */
export async function listCheckpoints(rules: CheckpointRules, folder: string): Promise<SavedCheckpoints> {
  const steps = (await subFolders(folder)).flatMap((name) => rules.stepOf(name) ?? []).sort((a, b) => a - b);
  return { steps, whole: await rules.wholeSteps(folder, steps) };
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

async function subFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
