import { renderPrompt } from '../../schemas/coa/profile.ts';
import { mhqaProfile } from '../../schemas/coa/profiles/mhqa.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** A trajectory of the profile `mhqa` whose answer is "yes" and which nobody judged. */
export function mhqaTrajectory(
  id: string,
  {
    question,
    segments,
    interactions,
  }: Pick<Trajectory, 'question' | 'segments'> & { readonly interactions: number },
): Trajectory {
  return {
    id: `trajectory_${id}`,
    task_id: `task_${id}`,
    trace_id: `trace_${id}`,
    profile: mhqaProfile.name,
    domain: mhqaProfile.domain,
    system: qwenSystemPrompt,
    user: renderPrompt(mhqaProfile, question).user,
    question,
    answers: ['yes'],
    segments,
    quality: {
      interactions,
      reflections: 0,
      plans: 1,
      redundant_tool_inputs: 0,
      first_double_check: null,
      neutralised: 0,
      verdicts: [],
    },
  };
}
