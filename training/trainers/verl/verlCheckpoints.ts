import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../../base/files/diskError.ts';
import { readPlain } from '../../../base/files/plainFile.ts';
import type { CheckpointRules, ResumeChanges, ResumePoint } from '../../../contract/trainer.ts';

/** verl's note of the newest checkpoint that is whole, replaced after everything else is written. */
export const verlTrackerFile = 'latest_checkpointed_iteration.txt';

/**
 * It goes on from the checkpoint that its tracker names. Those up to it were finished one after another; folders of
 * later steps were being saved when it ended.
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
 * The tracker has to name the step. verl also stores its data loader's state with a checkpoint: at the end of an epoch
 * that loader is exhausted, and the resumed training would run through an epoch without a single batch, and end well
 * with an epoch missing. Without the stored state it begins the epoch that the step says, which is then exactly right.
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

/** Null where there is no tracker, or it holds no number. */
async function trackedStep(folder: string): Promise<number | null> {
  const text = (await ifThere(readPlain(join(folder, verlTrackerFile))))?.toString().trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** verl writes a loader's state for each data-parallel rank. */
async function loaderStates(folder: string, step: number): Promise<[from: string, to: string][]> {
  const checkpoint = `global_step_${step}`;
  const names = (await readdir(join(folder, checkpoint))).filter((name) => /^data_\d+\.pt$/.test(name));
  return names.map((name) => [`${checkpoint}/${name}`, `${checkpoint}/${name}.epoch_end`]);
}
