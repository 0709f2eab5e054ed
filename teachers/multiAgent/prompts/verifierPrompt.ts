import type { TeamState } from '../teamState.ts';
import { jsonShape, type RolePrompt, systemPrompt, thinkMember } from './rolePrompt.ts';

const duty = [
  'Check the suggested answer against the question and the results, as someone who would rather find a mistake than confirm it.',
  'Go through every condition of the question: is it met, and which result shows that?',
  'Score 4: every condition is shown to be met. 3: well supported, with nothing against it. 2: a condition is open or the support is thin. 1: a result contradicts it, or it answers another question.',
  'From 3 on the answer stands and the work ends; 1 and 2 send the team back to work, so say what is to be done.',
];

/** What the verifier is asked: the rationale and a score from 1 to 4. */
export function verifierPrompt({ profile }: TeamState, withThink: boolean): RolePrompt {
  return {
    system: systemPrompt(profile, 'verifier', duty),
    instruction: `Verify the last suggested answer.

${jsonShape({
  ...thinkMember(withThink, 'what each condition of the question needs, and what the results say'),
  score: '1 or 2 or 3 or 4',
})}`,
  };
}
