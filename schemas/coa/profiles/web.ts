import type { Profile } from '../profile.ts';
import { doubleCheckGrammar } from './doubleCheck.ts';
import * as tag from './tags.ts';

const instruction = `Answer the question by playing every agent of a research team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

<think>: reason about what to do next. It comes before every other agent's turn.
<plan>: break the question into steps, and revise the steps when the evidence asks for it.
<web_search>: one search query. The results arrive in <observation>.
<crawl_page>: one URL, or several joined by |. Summaries of the pages arrive in <observation>.
<observation>: what a tool returned. You never write it.
<reflection>: grade the work so far on information_conflict, tool_effectiveness and trajectory_monitoring, each Good, Average or Poor. Any Poor grade calls for a new plan.
<suggested_answer>: the answer that the evidence supports so far.
<double_check>: verify the suggested answer and write "The score this time is:N" with N from 1 to 4. From 3 on the answer stands; below that, plan again and suggest anew.
<answer>: the final answer, once, at the end. Several answers are joined by |.`;

/** Open-web research with the AFM double check rule set. */
export const webProfile: Profile = {
  name: 'web',
  title: 'Web research with double check',
  domain: 'qa',
  ...doubleCheckGrammar([tag.webSearch, tag.crawlPage]),
  min_interactions: 5,
  instruction,
};
