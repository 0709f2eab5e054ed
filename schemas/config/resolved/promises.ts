import type { JsonObject } from '../../../base/json.ts';
import type { Profile } from '../../coa/profile.ts';
import { interactionLimit } from '../../filters/interactionLimits.ts';
import type { Config } from '../config.ts';
import { asksEndpoint, playsAlone } from '../teacherBackends.ts';

/** What the filters will ask of a trajectory, as far as a team can keep to it while it works. */
export interface Promises {
  readonly interactions: ReturnType<typeof interactionLimit>;
  /** Most tool inputs that repeat an earlier one; null: any number. */
  readonly mostRepeats: number | null;
  /** From which likeness on two inputs are the same; null: equal ones alone. */
  readonly similarity: number | null;
}

/** True for teams that refuse at once what the filters would drop: those of real models, unless the teacher says otherwise. */
function keepsPromises({ teacher }: Pick<Config, 'teacher'>): boolean {
  return !playsAlone(teacher) && (teacher.keep_promises ?? asksEndpoint(teacher));
}

/** What a team keeps to on tasks of a profile; undefined where it keeps to nothing. */
export function promisesOf(
  config: Pick<Config, 'teacher' | 'filters'>,
  profile: Pick<Profile, 'name' | 'min_interactions'>,
): Promises | undefined {
  if (!keepsPromises(config)) return undefined;
  const { min_interactions, max_redundant_tool_inputs, tool_input_similarity } = config.filters;
  return {
    interactions: interactionLimit(min_interactions, profile),
    mostRepeats: max_redundant_tool_inputs,
    similarity: tool_input_similarity,
  };
}

/** The settings of the filters that shape a rollout; undefined where the team keeps to none. */
export function promisedSettings(config: Pick<Config, 'teacher' | 'filters'>): JsonObject | undefined {
  if (!keepsPromises(config)) return undefined;
  const { min_interactions, max_redundant_tool_inputs, tool_input_similarity } = config.filters;
  return { min_interactions, max_redundant_tool_inputs, tool_input_similarity };
}
