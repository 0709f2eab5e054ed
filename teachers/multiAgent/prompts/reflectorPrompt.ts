import { reflectionCriteria, reflectionGrades } from '../../../schemas/coa/bodies.ts';
import type { TeamState } from '../teamState.ts';
import { jsonShape, type RolePrompt, systemPrompt, thinkMember } from './rolePrompt.ts';

const commonDuty = [
  'Judge the work so far: whether the results agree, whether they bear on the question, what is still open.',
  'Name mistakes plainly, and what would put them right.',
  'Do not give the final answer.',
];

const gradedDuty = [
  ...commonDuty,
  'information_conflict: Good when the results agree, Average for small differences, Poor when they contradict each other.',
  'tool_effectiveness: Good when the calls brought what they were meant to, Average when in part, Poor when they did not.',
  'trajectory_monitoring: Good when the work keeps to a plan that leads to the answer, Average when it wanders, Poor when it is stuck.',
  'A Poor grade sends the team back to the planner: give it where a new plan is needed, and only there.',
];

/** What the reflector is asked: grades, or words, as the profile has it. */
export function reflectorPrompt({ profile }: TeamState, withThink: boolean, graded: boolean): RolePrompt {
  const grades = reflectionGrades.map((grade) => `"${grade}"`).join(' or ');
  const body: Record<string, string> = graded
    ? Object.fromEntries(reflectionCriteria.map((criterion) => [criterion, grades]))
    : { reflection: '"what the last result shows, what is settled, and what is still open"' };
  return {
    system: systemPrompt(profile, 'reflector', graded ? gradedDuty : commonDuty),
    instruction: `Reflect on the work so far.

${jsonShape({
  ...thinkMember(
    withThink,
    graded ? 'the reasons for each grade' : 'what to look at in the results, and why',
  ),
  ...body,
})}`,
  };
}
