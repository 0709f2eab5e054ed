import { RecordFailure } from '../../contract/errors.ts';
import { dropRecord, emitRecord, type RecordStage, type StageOutcome } from '../../contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { FilterTools } from '../../schemas/filters/filterRule.ts';
import { brokenRules, measureTrajectory } from '../../schemas/filters/filterRules.ts';
import { nearRedundantInputs } from '../../schemas/filters/nearRedundantInputs.ts';
import { isJudgedCorrect, type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { countByKind, maskSecrets, trajectorySecrets } from './trajectorySecrets.ts';

export interface FilterStageOptions {
  readonly profileOf: (name: string) => Profile | undefined;
  readonly filters: FiltersConfig;
  /** Seed for random choices. */
  readonly seed: number;
  /** Tools required by `filters`. */
  readonly tools: FilterTools;
}

/**
 * Keeps trajectories that break no rule, with their measures. The first rule that matches determines the drop reason;
 * evidence has all findings and measures.
 */
export function createFilterStage(options: FilterStageOptions): RecordStage<Trajectory, Trajectory> {
  return {
    name: 'filter',
    version: 3,
    input: trajectorySchema,
    output: trajectorySchema,
    concurrency: 1,
    async run(trajectory) {
      const profile = options.profileOf(trajectory.profile);
      if (!profile) throw new RecordFailure('inexpressible', `unknown profile ${trajectory.profile}`);
      return filterTrajectory(trajectory, profile, options);
    },
  };
}

/** Measures a trajectory and applies every rule to it. */
export async function filterTrajectory(
  trajectory: Trajectory,
  profile: Profile,
  { filters, seed, tools }: Pick<FilterStageOptions, 'filters' | 'seed' | 'tools'>,
): Promise<StageOutcome<Trajectory>> {
  const { secrets: wanted, tool_input_similarity: similarity } = filters;
  const nearInputs = similarity === null ? [] : nearRedundantInputs(trajectory, profile, similarity);
  const secrets = wanted && trajectorySecrets(trajectory, profile, new Set(wanted.kinds));
  const given = { settings: filters, profile, nearInputs };
  const counted = secrets && countByKind(secrets);
  const withoutSecrets = secrets ? maskSecrets(trajectory, secrets) : trajectory;
  const context = { ...given, tools, secrets: counted, withoutSecrets };
  const measures = await measureTrajectory(trajectory, context);
  const findings = brokenRules(trajectory, { ...given, seed, measures });
  const [first] = findings;
  if (first) {
    return dropRecord(first.reason, {
      findings: findings.map(({ reason, evidence }) => ({ reason, evidence })),
      measures,
    });
  }
  const masked = wanted?.action === 'mask' ? withoutSecrets : trajectory;
  return emitRecord({ ...withErrorCorrection(masked, filters.error_correction), measures });
}

/**
 * Progressive filtering, stage 4 of the paper: a trajectory whose first double check scored low and whose final
 * answer was right is repeated in the dataset.
 */
function withErrorCorrection(
  trajectory: Trajectory,
  settings: FiltersConfig['error_correction'],
): Trajectory {
  const { first_double_check: first } = trajectory.quality;
  if (!settings || settings.repeats === 1 || first === null) return trajectory;
  const isCorrected = first <= settings.max_first_score && isJudgedCorrect(trajectory);
  if (!isCorrected) return trajectory;
  return { ...trajectory, sampling: { repeats: settings.repeats, weight: 1, reasons: ['error_correction'] } };
}
