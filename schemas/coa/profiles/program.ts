import type { Profile } from '../profile.ts';
import * as tag from './tags.ts';

/** What `code` and `math` share: plan once, (think, code, observation, reflection) x N, think, answer. */
export const programGrammar = {
  tags: [tag.think, tag.plan, tag.code, tag.observation, tag.reflection, tag.answer],
  first: ['plan'],
  follows: {
    plan: ['code', 'answer'],
    code: ['reflection'],
    reflection: ['code', 'answer'],
  },
  follows_when: [],
  think_before: ['code', 'answer'],
  think_optional_before: ['plan', 'reflection'],
  once: ['plan', 'answer'],
  min_interactions: 5,
  prompt_style: 'task',
} satisfies Partial<Profile>;
