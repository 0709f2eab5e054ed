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

/** What a team keeps to on tasks of a profile; undefined where it keeps to nothing. */
export function promisesOf(
  config: Pick<Config, 'teacher' | 'filters'>,
  profile: Pick<Profile, 'name' | 'min_interactions'>,
): Promises | undefined {
  const promised = promisedSettings(config);
  return (
    promised && {
      interactions: interactionLimit(promised.min_interactions, profile),
      mostRepeats: promised.max_redundant_tool_inputs,
      similarity: promised.tool_input_similarity,
    }
  );
}

/**
 * The settings of the filters that shape a rollout: of teams that refuse at once what the filters would drop, those of
 * real models, unless the teacher says otherwise. Undefined for all others.
 */
export function promisedSettings({ teacher, filters }: Pick<Config, 'teacher' | 'filters'>) {
  if (playsAlone(teacher) || !(teacher.keep_promises ?? asksEndpoint(teacher))) return undefined;
  const { min_interactions, max_redundant_tool_inputs, tool_input_similarity } = filters;
  return { min_interactions, max_redundant_tool_inputs, tool_input_similarity };
}
