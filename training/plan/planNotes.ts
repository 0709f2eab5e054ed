import type { Trainer } from '../../contract/trainer.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import {
  type PublishedRun,
  type TrainingPreset,
  type TrainingPresetName,
  trainingPresets,
} from '../../schemas/training/presets.ts';
import { type RlPreset, rlFigures, rlPresets } from '../../schemas/training/rlPresets.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

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

/** Notes that the number of GPUs was assumed. */
function gpuNotes(plan: Omit<TrainingPlan, 'notes'>, training: TrainingConfig): string[] {
  return training.gpus_per_node !== null || launcherTable[plan.launcher].runsHere
    ? []
    : [`${plan.gpus_per_node} GPUs a machine are assumed: --set gpus_per_node=N says otherwise`];
}

/** Published run of a job's preset, with the same method as the trainer. */
export function publishedRunOf(
  training: TrainingConfig,
  { method }: Pick<Trainer, 'method'>,
): { readonly name: TrainingPresetName; readonly run: PublishedRun & (RlPreset | TrainingPreset) } | null {
  const { preset: name } = training;
  return name && { name, run: method === 'rl' ? rlPresets[name] : trainingPresets[name] };
}

function presetNotes(training: TrainingConfig, manifest: Manifest): string[] {
  const trainer = trainerTable[training.trainer];
  const published = publishedRunOf(training, trainer);
  if (published === null) return [];
  const { name, run } = published;
  const notes = 'cutoff_len' in run ? rowNotes(name, run, training, manifest) : [];
  const section: Readonly<Record<string, unknown>> =
    trainer.method === 'rl' ? { ...rlFigures(training) } : training;
  const isStart = 'model' in run && run.model === training.model;
  const figures = { ...run.hyper_parameters, ...('model' in run && { model: run.model }) };
  const changed = Object.entries(figures).filter(
    ([key, value]) => (key === 'model' ? training.model : section[key]) !== value,
  );
  return [
    ...notes,
    ...(isStart
      ? [
          `${name} starts from AFM's fine-tuned ${run.model}; to start from a checkpoint of yours, name its folder with --model`,
        ]
      : []),
    ...(changed.length === 0 ? [] : [`otherwise than ${name}: ${changed.map(([key]) => key).join(', ')}`]),
  ];
}

/** Notes on rows and schedule settings that differ from the fine-tuning preset. */
function rowNotes(
  preset: TrainingPresetName,
  { cutoff_len: cutoff }: TrainingPreset,
  { trainer, lr_scheduler: scheduler }: TrainingConfig,
  manifest: Manifest,
): string[] {
  const { name, settings } = trainerTable[trainer];
  return [
    ...(manifest.cutoff_len === cutoff
      ? []
      : [
          `${preset} was trained on rows of up to ${cutoff} tokens, these have up to ${manifest.cutoff_len}: set dataset.cutoff_len: ${cutoff} and export again for the same`,
        ]),
    ...(settings.schedulers.includes(scheduler)
      ? []
      : [`${name} does not have the ${scheduler} schedule: ${settings.schedulers[0]} is taken`]),
  ];
}
