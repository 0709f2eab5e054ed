import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { safeParseJson } from '../../../base/json.ts';
import type { CheckpointRules } from '../../../contract/trainer.ts';

/** Written last into a checkpoint (transformers, `Trainer._save_checkpoint`). */
const STATE_FILE = 'trainer_state.json';

/** It goes on from the folder of the highest number, whole or not: torn ones have to be set aside. */
export const llamaFactoryCheckpoints: CheckpointRules = {
  modelFolder: '.',
  nameOf,
  stepOf(name) {
    const step = /^checkpoint-(\d+)$/.exec(name)?.[1];
    return step === undefined ? undefined : Number(step);
  },
  async wholeSteps(folder, steps) {
    const isWhole = await Promise.all(steps.map((step) => hasState(join(folder, nameOf(step)))));
    return steps.filter((_, at) => isWhole[at]);
  },
};

function nameOf(step: number): string {
  return `checkpoint-${step}`;
}

async function hasState(checkpoint: string): Promise<boolean> {
  const text = await readFile(join(checkpoint, STATE_FILE), 'utf8').catch(() => '');
  return safeParseJson(text).ok;
}
