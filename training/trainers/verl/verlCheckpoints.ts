import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../../base/files/diskError.ts';
import { readPlain } from '../../../base/files/plainFile.ts';
import type { CheckpointRules, ResumeChanges, ResumePoint } from '../../../contract/trainer.ts';

/** verl's note of the newest complete checkpoint, written last. */
export const verlTrackerFile = 'latest_checkpointed_iteration.txt';

/**
 * verl resumes from the checkpoint in its tracker file. Earlier ones are complete; folders of later steps were being
 * saved at the end.
 */
export const verlCheckpoints: CheckpointRules = {
  modelFolder: 'huggingface',
  prefix: 'global_step_',
  async wholeSteps(folder, steps) {
    const tracked = (await trackedStep(folder)) ?? 0;
    return steps.filter((step) => step <= tracked);
  },
  changesFor,
};

/**
 * Adapts the tracker to the step. verl also stores the state of its data loader: at the end of an epoch that loader is
 * exhausted, and the resumed training would skip an epoch without an error. Without the stored state, it begins the
 * correct epoch.
 */
async function changesFor(folder: string, { fromStep, stepsPerEpoch }: ResumePoint): Promise<ResumeChanges> {
  const isRight = ((await trackedStep(folder)) ?? 0) === fromStep;
  const isExhausted = fromStep > 0 && fromStep % stepsPerEpoch === 0;
  return {
    renamed: [
      ...(isExhausted ? await loaderStates(folder, fromStep) : []),
      ...(!isRight && fromStep === 0 ? [[verlTrackerFile, `torn-${verlTrackerFile}`] as const] : []),
    ],
    written: !isRight && fromStep > 0 ? [[verlTrackerFile, String(fromStep)]] : [],
  };
}

/** Null if the tracker is missing or contains no number. */
async function trackedStep(folder: string): Promise<number | null> {
  const text = (await ifThere(readPlain(join(folder, verlTrackerFile))))?.toString().trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** verl writes a loader state per data-parallel rank. */
async function loaderStates(folder: string, step: number): Promise<[from: string, to: string][]> {
  const checkpoint = `global_step_${step}`;
  const names = (await readdir(join(folder, checkpoint))).filter((name) => /^data_\d+\.pt$/.test(name));
  return names.map((name) => [`${checkpoint}/${name}`, `${checkpoint}/${name}.epoch_end`]);
}
