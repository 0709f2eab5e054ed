import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { trainingPresets } from '../../schemas/training/presets.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

/** What a reader of a plan should know besides its figures, one sentence each. */
export function planNotes(
  plan: Omit<TrainingPlan, 'notes'>,
  training: TrainingConfig,
  manifest: Manifest,
): string[] {
  return [
    ...presetNotes(training, manifest),
    ...gpuNotes(plan, training),
    ...trainerTable[plan.trainer].notesOn(plan),
  ];
}

/** Says so where the number of GPUs was not given. */
function gpuNotes(plan: Omit<TrainingPlan, 'notes'>, training: TrainingConfig): string[] {
  if (training.gpus_per_node !== null) return [];
  if (plan.gpus_per_node === 0) {
    return ['no GPU was found on this machine: --gpus-per-node says how many there are elsewhere'];
  }
  return launcherTable[plan.launcher].runsHere
    ? []
    : [`${plan.gpus_per_node} GPUs a machine are assumed: --gpus-per-node says otherwise`];
}

function presetNotes(training: TrainingConfig, manifest: Manifest): string[] {
  if (training.preset === null) return [];
  const { cutoff_len, hyper_parameters } = trainingPresets[training.preset];
  const notes = [];
  if (manifest.cutoff_len !== cutoff_len) {
    notes.push(
      `${training.preset} was trained on rows of up to ${cutoff_len} tokens, these have up to ${manifest.cutoff_len}: set dataset.cutoff_len: ${cutoff_len} and export again for the same`,
    );
  }
  const { name, settings } = trainerTable[training.trainer];
  const { lr_scheduler: scheduler } = training;
  if (!settings.schedulers.includes(scheduler)) {
    notes.push(`${name} knows no ${scheduler} schedule: ${settings.schedulers[0]} is taken`);
  }
  const changed = Object.entries(hyper_parameters).filter(
    ([key, value]) => training[key as keyof typeof hyper_parameters] !== value,
  );
  if (changed.length > 0) {
    notes.push(`otherwise than ${training.preset}: ${changed.map(([key]) => key).join(', ')}`);
  }
  return notes;
}
