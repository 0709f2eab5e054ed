import { z } from 'zod';
import type { RlEnvironment } from '../rl/environment.ts';
import { inputPath, key, keyOf, positiveInt, share, timerSeconds, variableName } from './keyMeaning.ts';
import { rlRewardsConfigSchema } from './rlRewards.ts';
import type { RlTrainingConfig } from './rlTraining.ts';
import { serverKeys } from './tools/serve.ts';

/**
 * Selections of tasks by name, as in AFM's paper. `afm_web`: solved in at most 30% of 32 tries without tools; `afm_code`:
 * by the SFT model not in 8 of 8, and not in none, for which the paper asks another model 16 times.
 */
export const rlTaskPresets = {
  afm_web: { max_pass_rate: 0.3, above_min: false, below_max: false, min_samples: 32 },
  afm_code: { max_pass_rate: 1, above_min: true, below_max: true, min_samples: 8 },
  any: { max_pass_rate: 1, above_min: false, below_max: false, min_samples: 1 },
} as const;
/** Name of a selection. */
type RlTaskPreset = keyof typeof rlTaskPresets;

const exportKey = keyOf('export');

/** `rl.tasks`: which tasks are worth learning from. */
export const rlTasksConfigSchema = z.strictObject({
  preset: exportKey(
    z.enum(Object.keys(rlTaskPresets) as [RlTaskPreset]).default('any'),
    'afm_web: solved in at most 30% of 32 tries; afm_code: solved in some and not all of 8 tries; any: whatever the rate',
  ),
  rates: exportKey(
    inputPath.optional(),
    "File of measured pass rates, a line {task_id or question, passed, samples} each, such as another run's tasks.pass_rates.jsonl; absent: the rates of the run's own rollouts",
  ),
  unrated: exportKey(
    z.enum(['keep', 'drop']).optional(),
    'Tasks of which nobody knows the rate; absent: drop where a preset or a rate limit asks for one, keep otherwise',
  ),
  min_pass_rate: exportKey(share.optional(), 'Lowest pass rate; absent: as the preset says'),
  max_pass_rate: exportKey(share.optional(), 'Highest pass rate; absent: as the preset says'),
  min_samples: exportKey(positiveInt.optional(), 'Fewest tries that make a rate; absent: as the preset says'),
  group_size: exportKey(z.int().min(1).max(1024).default(8), 'Trajectories of a task in a step (n of GRPO)'),
  min_mixed: exportKey(
    share.default(0),
    'Lowest probability that a group has right and wrong answers, 1 - p^n - (1 - p)^n for the pass rate p; GRPO learns from no other group',
  ),
  sft_tasks: exportKey(
    z.enum(['drop', 'keep']).default('drop'),
    'Tasks of which the dataset has rows for supervised training',
  ),
  leave_out: exportKey(
    z.array(inputPath).default([]),
    'Files or folders of questions that no task may come from: benchmarks, and data of earlier supervised training',
  ),
});
export type RlTasksConfig = z.infer<typeof rlTasksConfigSchema>;

/** `rl.limits`: how long a trajectory may be. */
export const rlLimitsConfigSchema = z.strictObject({
  max_prompt_tokens: exportKey(
    positiveInt.default(2_048),
    'Most tokens of a prompt; longer tasks are left out',
  ),
  max_response_tokens: key(
    positiveInt.optional(),
    'Most tokens behind the prompt, observations included; absent: as training.rl.preset says, without one 30720',
  ),
  max_step_tokens: key(positiveInt.default(4_096), 'Most tokens of one generation'),
  max_steps: key(
    positiveInt.optional(),
    'Most generations of a trajectory; absent: training.rl.max_generations, without one 25',
  ),
  max_tool_calls: key(positiveInt.optional(), 'Most tool calls of a trajectory; absent: as many as steps'),
  max_seconds: key(timerSeconds.positive().default(1_800), 'Seconds that a trajectory may take'),
});

/** `rl.serve`: the environment server. */
export const rlServeConfigSchema = z.strictObject({
  port: key(z.int().min(0).max(65_535).default(9_100), 'Port; 0 takes a free one'),
  token_env: key(
    variableName.default('COA_RL_TOKEN'),
    'Environment variable of the token that clients must send; unset: everybody is let in',
  ),
  tool_concurrency: key(
    positiveInt.default(128),
    'Calls of each tool, and of each reward of your own, at once; the others wait',
  ),
  ...serverKeys('failures'),
});
export type RlServeConfig = z.infer<typeof rlServeConfigSchema>;

/** The `rl` section: tasks, limits and rewards of reinforcement learning with tools. */
export const rlConfigSchema = z.strictObject({
  tasks: rlTasksConfigSchema.prefault({}).describe('Which tasks are worth learning from'),
  limits: rlLimitsConfigSchema.prefault({}).describe('How long a trajectory may be'),
  rewards: rlRewardsConfigSchema.prefault({}).describe('What a trajectory is worth'),
  serve: rlServeConfigSchema.prefault({}).describe('The environment server'),
});
export type RlConfig = z.infer<typeof rlConfigSchema>;

/** The limits of an environment: what `rl.limits` leaves open is as the job's section says, `training.rl`. */
export function environmentLimits(
  { limits }: RlConfig,
  { preset, max_generations, max_response_tokens }: RlTrainingConfig,
): RlEnvironment['limits'] {
  const maxSteps = limits.max_steps ?? max_generations ?? 25;
  return {
    ...limits,
    max_steps: maxSteps,
    max_tool_calls: limits.max_tool_calls ?? maxSteps,
    max_response_tokens: limits.max_response_tokens ?? (preset === null ? 30_720 : max_response_tokens),
  };
}
