import { RecordFailure } from '../../pipeline/contract/errors.ts';
import { drop, emit, type RecordStage, type StageOutcome } from '../../pipeline/contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { filterRules } from './rules.ts';

/** What {@link createFilterStage} needs. */
export interface FilterOptions {
  readonly profileOf: (name: string) => Profile | undefined;
  readonly filters: FiltersConfig;
}

/** Keeps trajectories that break no rule. The first rule that finds something gives the reason; evidence has all. */
export function createFilterStage({
  profileOf,
  filters,
}: FilterOptions): RecordStage<Trajectory, Trajectory> {
  return {
    name: 'filter',
    version: 1,
    input: trajectorySchema,
    output: trajectorySchema,
    concurrency: 1,
    async run(trajectory) {
      const profile = profileOf(trajectory.profile);
      if (!profile) throw new RecordFailure('inexpressible', `unknown profile ${trajectory.profile}`);
      return filterTrajectory(trajectory, profile, filters);
    },
  };
}

/** Applies every rule to a trajectory. */
export function filterTrajectory(
  trajectory: Trajectory,
  profile: Profile,
  filters: FiltersConfig,
): StageOutcome<Trajectory> {
  const findings = filterRules.flatMap((rule) => rule(trajectory, profile, filters) ?? []);
  const [first] = findings;
  if (!first) return emit(trajectory);
  return drop(first.reason, {
    findings: findings.map(({ reason, evidence }) => ({ reason, evidence })),
  });
}
