import { z } from 'zod';
import type { RlEnvironment } from '../rl/environment.ts';
import {
  inputPathSchema,
  plainTextSchema,
  shapes,
  shapesNothing,
  timerSecondsSchema,
  variableNameSchema,
} from './keyMeaning.ts';
import { rlRewardsConfigSchema } from './rlRewards.ts';
import type { RlTrainingConfig } from './rlTraining.ts';
import { requestLog, serverTimes } from './tools/serve.ts';

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
export type RlTaskPreset = keyof typeof rlTaskPresets;

const rate = z.number().min(0).max(1);
const shapesExport = shapes('export');

/** `rl.tasks`: which tasks are worth learning from. */
export const rlTasksConfigSchema = z.strictObject({
  preset: z
    .enum(Object.keys(rlTaskPresets) as [RlTaskPreset])
    .default('any')
    .meta(
      shapesExport(
        'afm_web: solved in at most 30% of 32 tries; afm_code: solved in some and not all of 8 tries; any: whatever the rate',
      ),
    ),
  rates: inputPathSchema
    .optional()
    .meta(
      shapesExport(
        "File of measured pass rates, a line {task_id or question, passed, samples} each, such as another run's tasks.pass_rates.jsonl; absent: the rates of the run's own rollouts",
      ),
    ),
  unrated: z
    .enum(['keep', 'drop'])
    .optional()
    .meta(
      shapesExport(
        'Tasks of which nobody knows the rate; absent: drop where a preset or a rate limit asks for one, keep otherwise',
      ),
    ),
  min_pass_rate: rate.optional().meta(shapesExport('Lowest pass rate; absent: as the preset says')),
  max_pass_rate: rate.optional().meta(shapesExport('Highest pass rate; absent: as the preset says')),
  min_samples: z
    .int()
    .positive()
    .optional()
    .meta(shapesExport('Fewest tries that make a rate; absent: as the preset says')),
  group_size: z
    .int()
    .min(1)
    .max(1024)
    .default(8)
    .meta(shapesExport('Trajectories of a task in a step (n of GRPO)')),
  min_mixed: rate
    .default(0)
    .meta(
      shapesExport(
        'Lowest probability that a group has right and wrong answers, 1 - p^n - (1 - p)^n for the pass rate p; GRPO learns from no other group',
      ),
    ),
  sft_tasks: z
    .enum(['drop', 'keep'])
    .default('drop')
    .meta(shapesExport('Tasks of which the dataset has rows for supervised training')),
  leave_out: z
    .array(inputPathSchema)
    .default([])
    .meta(
      shapesExport(
        'Files or folders of questions that no task may come from: benchmarks, and data of earlier supervised training',
      ),
    ),
});
export type RlTasksConfig = z.infer<typeof rlTasksConfigSchema>;

/** `rl.limits`: how long a trajectory may be. */
export const rlLimitsConfigSchema = z.strictObject({
  max_prompt_tokens: z
    .int()
    .positive()
    .default(2_048)
    .meta(shapesExport('Most tokens of a prompt; tasks with a longer one are left out')),
  max_response_tokens: z
    .int()
    .positive()
    .optional()
    .meta(
      shapesNothing(
        'Most tokens behind the prompt, observations included; absent: as training.rl.preset says, without one 30720',
      ),
    ),
  max_step_tokens: z.int().positive().default(4_096).meta(shapesNothing('Most tokens of one generation')),
  max_steps: z
    .int()
    .positive()
    .optional()
    .meta(
      shapesNothing('Most generations of a trajectory; absent: training.rl.max_generations, without one 25'),
    ),
  max_tool_calls: z
    .int()
    .positive()
    .optional()
    .meta(shapesNothing('Most tool calls of a trajectory; absent: as many as there are steps')),
  max_seconds: timerSecondsSchema
    .positive()
    .default(1_800)
    .meta(shapesNothing('Seconds that a trajectory may take')),
});

/** `rl.serve`: the environment server. */
export const rlServeConfigSchema = z.strictObject({
  host: plainTextSchema
    .min(1)
    .default('127.0.0.1')
    .meta(shapesNothing('Address to listen at; 0.0.0.0: on every network')),
  port: z.int().min(0).max(65_535).default(9_100).meta(shapesNothing('Port; 0 takes a free one')),
  token_env: variableNameSchema
    .default('COA_RL_TOKEN')
    .meta(
      shapesNothing('Environment variable of the token that clients must send; unset: everybody is let in'),
    ),
  max_in_flight: z
    .int()
    .positive()
    .default(2_048)
    .meta(
      shapesNothing(
        'Requests that are worked on or wait for a tool or a judge at once; more get 503 and come again',
      ),
    ),
  tool_concurrency: z
    .int()
    .positive()
    .default(128)
    .meta(shapesNothing('Calls of each tool, and of each reward of your own, at once; the others wait')),
  max_body_bytes: z.int().positive().default(8_000_000).meta(shapesNothing('Largest request, in bytes')),
  ...serverTimes(30),
  log: requestLog('failures'),
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
