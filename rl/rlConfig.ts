import { z } from 'zod';
import { registerSection } from '../schemas/config/config.ts';
import { inputPath, keyOf } from '../schemas/config/keyMeaning.ts';
import { passRateFromSchema } from '../schemas/config/passRate.ts';
import { rlRewardsConfigSchema } from './rewardsConfig.ts';

/**
 * Task selections by name, as in AFM's paper. `afm_web`: solved in at most 30% of 32 tries without tools; `afm_code`:
 * solved by the SFT model in some but not all of 8 tries (for "some", the paper uses 16 tries of another model).
 */
export const rlTaskPresets = {
  afm_web: { max: 0.3, above_min: false, below_max: false, min_samples: 32 },
  afm_code: { max: 1, above_min: true, below_max: true, min_samples: 8 },
  any: { max: 1, above_min: false, below_max: false, min_samples: 1 },
} as const;
type RlTaskPreset = keyof typeof rlTaskPresets;

const exportKey = keyOf('export');

/** `rl.tasks`: selection of tasks. */
export const rlTasksConfigSchema = z.strictObject({
  preset: exportKey(
    z.enum(Object.keys(rlTaskPresets) as [RlTaskPreset]).default('any'),
    'afm_web: solved in at most 30% of 32 tries; afm_code: solved in some and not all of 8 tries; any: whatever the rate',
  ),
  pass_rate: passRateFromSchema("the rates of the run's own rollouts", 'export')
    .prefault({})
    .describe(
      "Pass rates in place of the preset's; where either asks for one, tasks without a rate are left out",
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

export const rlConfigSchema = z.strictObject({
  tasks: rlTasksConfigSchema.prefault({}).describe('Which tasks are worth learning from'),
  rewards: rlRewardsConfigSchema.prefault({}).describe('What a trajectory is worth'),
});
export type RlConfig = z.infer<typeof rlConfigSchema>;

declare module '../schemas/config/config.ts' {
  interface CapabilitySections {
    readonly rl?: RlConfig | undefined;
  }
}
registerSection(
  'rl',
  rlConfigSchema
    .optional()
    .describe('Tasks and rewards of reinforcement learning with tools; absent: the defaults'),
);
