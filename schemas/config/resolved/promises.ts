import type { Profile } from '../../coa/profile.ts';
import { interactionLimit } from '../../filters/interactionLimits.ts';
import type { Config } from '../config.ts';
import { asksEndpoint, playsAlone } from '../teacherBackends.ts';

/** Filter rules that a team can follow while it works. */
export interface Promises {
  readonly interactions: ReturnType<typeof interactionLimit>;
  /** Maximum tool inputs that repeat an earlier one; null: unlimited. */
  readonly mostRepeats: number | null;
  /** Minimum similarity of equal inputs; null: exact equality. */
  readonly similarity: number | null;
}

/** Rules that a team follows for a profile; undefined without any. */
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
 * Filter settings that affect rollouts of teams which avoid what the filters would drop: by default those of real
 * models. Undefined otherwise.
 */
export function promisedSettings({ teacher, filters }: Pick<Config, 'teacher' | 'filters'>) {
  if (playsAlone(teacher) || !(teacher.keep_promises ?? asksEndpoint(teacher))) return undefined;
  const { min_interactions, max_redundant_tool_inputs, tool_input_similarity } = filters;
  return { min_interactions, max_redundant_tool_inputs, tool_input_similarity };
}
