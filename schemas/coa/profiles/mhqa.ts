import type { Profile } from '../profile.ts';
import { doubleCheckGrammar } from './doubleCheck.ts';
import * as tag from './tags.ts';

const mhqaPrompt = `Answer the question, which takes several hops, by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

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
  instruction: mhqaPrompt,
  prompt_style: 'question',
};

const doubleCheckPrompt = `Answer the question, which takes several hops, by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

<think>: reason about what to do next. It comes before every other agent's turn.
<plan>: break the question into hops, and revise them when the evidence asks for it.
<wiki_search>: one query to the encyclopedia. The passages arrive in <observation>.
<observation>: what the search returned. You never write it.
<reflection>: grade the work so far on information_conflict, tool_effectiveness and trajectory_monitoring, each Good, Average or Poor. Any Poor grade calls for a new plan.
<suggested_answer>: the answer that the evidence supports so far.
<double_check>: verify the suggested answer and write "The score this time is:N" with N from 1 to 4. From 3 on the answer stands; below that, plan again and suggest anew.
<answer>: the final answer, once, at the end. Several answers are joined by |.`;

/** Multi-hop questions over an encyclopedia, with the rules of web research: AFM's second released prompt. */
export const mhqaDoubleCheckProfile: Profile = {
  name: 'mhqa_double_check',
  title: 'Multi-hop questions with double check',
  domain: 'qa',
  ...doubleCheckGrammar([tag.wikiSearch]),
  min_interactions: 3,
  instruction: doubleCheckPrompt,
};
