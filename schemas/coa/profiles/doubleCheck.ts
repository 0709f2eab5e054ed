import type { Profile, TagRule } from '../profile.ts';
import * as tag from './tags.ts';

/**
 * AFM's double check rule set over any tools: think before every action, grade, suggest, verify; a Poor grade calls
 * for a new plan, a score below 3 for more work, and from 3 on the answer stands.
 */
export function doubleCheckGrammar(tools: readonly TagRule[]) {
  const calls = tools.map((rule) => rule.tag);
  return {
    tags: [
      tag.think,
      tag.plan,
      ...tools,
      tag.observation,
      tag.gradedReflection,
      tag.suggestedAnswer,
      tag.doubleCheck,
      tag.answer,
    ],
    first: ['plan'],
    follows: {
      plan: [...calls, 'suggested_answer'],
      ...Object.fromEntries(calls.map((call) => [call, [...calls, 'reflection', 'suggested_answer']])),
      reflection: ['plan', ...calls, 'suggested_answer'],
      suggested_answer: ['double_check'],
      double_check: ['plan', ...calls, 'answer'],
    },
    follows_when: [
      { after: 'reflection', outcome: 'poor', allowed: ['plan'] },
      { after: 'double_check', outcome: 'low', allowed: ['plan', ...calls] },
      { after: 'double_check', outcome: 'high', allowed: ['answer'] },
    ],
    think_before: ['plan', ...calls, 'reflection', 'suggested_answer', 'double_check'],
    think_optional_before: ['answer'],
    once: ['answer'],
    prompt_style: 'question',
  } satisfies Partial<Profile>;
}
