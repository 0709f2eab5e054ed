import { z } from 'zod';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import { trainingPresetNames } from '../training/presets.ts';
import { rlDefaults, rlPresets } from '../training/rlPresets.ts';
import { key, share } from './keyMeaning.ts';
import { rlHyperParameters } from './rlHyperParameters.ts';

const sectionSchema = z.strictObject({
  preset: key(
    z.enum(trainingPresetNames).nullable().default(null),
    'Published hyper-parameters, for the keys that are absent, and for those of rl.limits; null: GRPO on one machine',
  ),
  ...rlHyperParameters,
  engine: key(z.enum(['vllm', 'sglang']).default('vllm'), 'Rollout engine of verl'),
  gpu_memory_utilization: key(share.default(0.6), 'Share of GPU memory of the rollout engine'),
  offload: key(
    z.boolean().default(true),
    "Keep weights and optimiser states in the host's memory while the engine samples",
  ),
  max_failed_share: key(share.default(0.1), 'A job ends when more rollouts of a step fail, tools being down'),
  max_unscored_share: key(share.default(0.5), 'A job ends when more rollouts of a step get no verdict'),
});

/** `training.rl`: reinforcement learning. Hyper-parameters that are absent come from the preset. */
export const rlTrainingSchema = sectionSchema.transform((section) => {
  const preset = section.preset === null ? rlDefaults : rlPresets[section.preset].hyper_parameters;
  return { ...section, ...preset, ...withoutAbsent(section) };
});
export type RlTrainingConfig = z.infer<typeof rlTrainingSchema>;
