import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { FilterMeasures } from '../../schemas/filterMeasures.ts';
import type { DropReason } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { NearInputs } from './nearRedundantInputs.ts';

/** A rule that a trajectory breaks, and what shows it. */
export interface BrokenRule {
  readonly reason: DropReason;
  readonly evidence: JsonObject;
}

/** What a rule decides by besides the trajectory. */
export interface FilterContext {
  readonly settings: FiltersConfig;
  /** Seed for random choices. */
  readonly seed: number;
  readonly measures: FilterMeasures;
  readonly nearInputs: readonly NearInputs[];
}

/** Looks at one trajectory; undefined when there is nothing to find. Pure: it works nothing out that takes long. */
export type FilterRule = (
  trajectory: Trajectory,
  profile: Profile,
  context: FilterContext,
) => BrokenRule | undefined;
