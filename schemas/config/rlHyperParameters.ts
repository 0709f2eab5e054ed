import { z } from 'zod';
import { key, positiveInt, wholeNumber } from './keyMeaning.ts';

/** The algorithms: how advantages are made, and what else goes with them. */
export const rlAlgorithms = ['grpo', 'dapo', 'ppo'] as const;

const fromPreset = "absent: the preset's";
const whole = (meaning: string) => key(positiveInt.optional(), `${meaning}; ${fromPreset}`);
const amount = (meaning: string) => key(z.number().nonnegative().optional(), `${meaning}; ${fromPreset}`);

/** The keys of `training.rl` that a preset fills in. Rates are unitless, lengths in tokens. */
export const rlHyperParameters = {
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
};
type Keys = typeof rlHyperParameters;
/** The hyper-parameters that a preset sets, all of them. */
export type RlHyperParameters = { readonly [Key in keyof Keys]: Exclude<z.infer<Keys[Key]>, undefined> };
