import { z } from 'zod';
import { trainingPresetNames } from '../training/presets.ts';
import { type RlHyperParameters, rlAlgorithms, rlDefaults, rlPresets } from '../training/rlPresets.ts';
import { key, positiveInt, share, wholeNumber } from './keyMeaning.ts';

const fromPreset = "absent: the preset's";
const whole = (meaning: string) => key(positiveInt.optional(), `${meaning}; ${fromPreset}`);
const amount = (meaning: string) => key(z.number().nonnegative().optional(), `${meaning}; ${fromPreset}`);

const sectionSchema = z.strictObject({
  preset: key(
    z.enum(trainingPresetNames).nullable().default(null),
    'Published hyper-parameters, for the keys that are absent, and for those of rl.limits; null: GRPO on one machine',
  ),
  algorithm: key(
    z.enum(rlAlgorithms).optional(),
    `grpo: advantages within the rollouts of a task; dapo: the same, and tasks with equal rewards are replaced; ppo: with a critic; ${fromPreset}`,
  ),
  learning_rate: amount('Peak learning rate of the actor'),
  critic_learning_rate: amount('Peak learning rate of the critic, for ppo'),
  warmup_steps: key(wholeNumber.optional(), `Steps that warm up; ${fromPreset}`),
  weight_decay: amount('Weight decay of the actor'),
  prompts_per_step: whole('Tasks of a step'),
  mini_batch: whole('Tasks of an update of the weights'),
  rollouts: whole('Rollouts of a task in a step'),
  max_prompt_tokens: whole('Most tokens of a prompt'),
  max_response_tokens: whole('Most tokens behind a prompt, observations included'),
  clip_low: amount('Ratios of probabilities are clipped below 1 minus this'),
  clip_high: amount('Ratios of probabilities are clipped above 1 plus this'),
  clip_c: amount('Bound of the loss for negative advantages (dual clip)'),
  kl_coefficient: amount('Weight of the KL divergence from the first weights in the loss; 0: none'),
  epochs: whole('Times that every task is played'),
  steps: key(positiveInt.nullable().optional(), `Most steps; null: by the epochs; ${fromPreset}`),
  tensor_parallel: whole('GPUs that hold one copy of the rollout engine'),
  max_generations: key(
    positiveInt.nullable().optional(),
    `Most generations of a trajectory, which the environment server has to allow as well; null: whatever it allows; ${fromPreset}`,
  ),
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
  const filled = Object.entries(preset).map(([key, value]) => {
    const given = section[key as keyof RlHyperParameters];
    return [key, given === undefined ? value : given];
  });
  return { ...section, ...(Object.fromEntries(filled) as RlHyperParameters) };
});
export type RlTrainingConfig = z.infer<typeof rlTrainingSchema>;
