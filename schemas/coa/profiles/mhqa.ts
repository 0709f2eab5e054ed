import type { Profile } from '../profile.ts';
import * as tag from './tags.ts';

const instruction = `Answer the question, which takes several hops, by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

<think>: reason about what to do next. It comes before <plan>, <wiki_search>, <reflection> and <answer>.
<plan>: break the question into hops, and revise them when the evidence asks for it.
<wiki_search>: one query to the encyclopedia. The passages arrive in <observation>.
<observation>: what the search returned. You never write it.
<reflection>: judge whether the evidence so far is consistent and sufficient, and what is still missing.
<answer>: the final answer, once, at the end. Several answers are joined by |.`;

/** Multi-hop questions over an encyclopedia, without double check. */
export const mhqaProfile: Profile = {
  name: 'mhqa',
  title: 'Multi-hop questions over an encyclopedia',
  domain: 'qa',
  tags: [tag.think, tag.plan, tag.wikiSearch, tag.observation, tag.reflection, tag.answer],
  first: ['plan'],
  follows: {
    plan: ['wiki_search', 'answer'],
    wiki_search: ['wiki_search', 'plan', 'reflection', 'answer'],
    reflection: ['plan', 'wiki_search', 'answer'],
  },
  follows_when: [],
  think_before: ['plan', 'wiki_search', 'reflection', 'answer'],
  think_optional_before: [],
  once: ['answer'],
  min_interactions: 3,
  instruction,
  prompt_style: 'question',
};
