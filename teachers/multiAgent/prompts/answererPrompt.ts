import type { Profile } from '../../../schemas/coa/profile.ts';
import { actionKind, type TeamState } from '../teamState.ts';
import { jsonShape, type RolePrompt, systemPrompt, thinkMember } from './rolePrompt.ts';

const answerForm: Readonly<Record<Profile['domain'], readonly string[]>> = {
  qa: [
    'The answer is the shortest phrase that answers the question in full: a name, a date, a number with its unit. No sentence, no explanation.',
    'Where the question asks for several things, join them with " | ".',
    'Spell names as the results spell them. Where the results do not settle it, give the answer that they support best.',
  ],
  math: [
    'The answer is the final value alone, exact and simplified, in LaTeX where it is no plain number: no words, no equation, no unit unless it is asked for.',
    'Give it in the form that the problem asks for.',
  ],
  code: [
    'The answer is one complete Python program as plain text, without a fence and without explanation.',
    "Keep to the task's interface: read standard input and write standard output, or define exactly the class and method that the task gives.",
    'Handle the edge cases and sizes that the task allows, not only its examples.',
  ],
};

/** What the answerer is asked, for the suggested answer and for the final one. */
export function answererPrompt({ profile }: TeamState, action: string, withThink: boolean): RolePrompt {
  const suggested = actionKind(profile, action) === 'suggested_answer';
  return {
    system: systemPrompt(profile, 'answerer', [
      "State the answer that the team's work supports.",
      ...answerForm[profile.domain],
    ]),
    instruction: `${suggested ? 'Suggest an answer; the verifier will check it.' : 'Give the final answer.'}

${jsonShape({
  ...thinkMember(withThink, 'how the answer follows from the results'),
  answer: profile.domain === 'code' ? '"the program"' : '"the answer"',
})}`,
  };
}
