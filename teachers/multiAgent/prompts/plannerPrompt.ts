import type { TeamState } from '../teamState.ts';
import { jsonShape, type RolePrompt, systemPrompt, thinkMember } from './rolePrompt.ts';

const duty = [
  'Break the task into the few steps that settle it, in order, each small enough for one or two tool calls.',
  'Say for each step which tool serves it and what a good result would show.',
  'End with a step that checks the result in an independent way.',
  'When you are asked again, keep what is settled, say what went wrong, and change the rest.',
  'Do not solve the task yourself and do not guess its answer.',
];

/** What the planner is asked: the first plan, or a revised one. */
export function plannerPrompt({ profile, turns }: TeamState, withThink: boolean): RolePrompt {
  const again = turns.some((turn) => turn.tag === 'plan');
  return {
    system: systemPrompt(profile, 'planner', duty),
    instruction: `${again ? 'Revise the plan in the light of what has happened since.' : 'Write the plan.'}

${jsonShape({
  ...thinkMember(withThink, 'what the task comes down to, and why this order'),
  plan: '"the steps, numbered, a line each"',
})}`,
  };
}
