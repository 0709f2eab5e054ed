import { z } from 'zod';
import { key, keyOf, positive, positiveInt } from './keyMeaning.ts';

/** Methods of computing advantages. */
export const rlAlgorithms = ['grpo', 'dapo', 'ppo'] as const;

const fromPreset = "absent: the preset's";
const count = (meaning: string) => key(positiveInt.optional(), `${meaning}; ${fromPreset}`);
const datasetCount = (meaning: string) =>
  keyOf('export')(positiveInt.optional(), `${meaning}; ${fromPreset}`);

export const rlTrainingSchema = z.strictObject({
  algorithm: key(
    z.enum(rlAlgorithms).optional(),
    `grpo: advantages within the rollouts of a task; dapo: the same, and tasks with equal rewards are replaced; ppo: with a critic; ${fromPreset}`,
  ),
  learning_rate: key(positive.optional(), `Peak learning rate of the actor; ${fromPreset}`),
  prompts_per_step: count('Tasks per step'),
  rollouts: datasetCount('Rollouts of a task per step (n of GRPO)'),
  max_prompt_tokens: datasetCount('Maximum tokens of a prompt; longer tasks are left out of the dataset'),
  max_response_tokens: count('Maximum tokens behind the prompt, observations included'),
  max_generations: count('Maximum generations of a trajectory'),
  epochs: count('Times that every task is played'),
});
