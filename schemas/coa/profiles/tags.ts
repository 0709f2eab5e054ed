import type { TagRule } from '../profile.ts';

/** Tags that profiles share (paper section 2 and the released prompts). */
export const think: TagRule = { tag: 'think', agent: 'thinking', kind: 'thinking', body: 'text' };
export const plan: TagRule = { tag: 'plan', agent: 'plan', kind: 'plan', body: 'text' };
export const webSearch: TagRule = { tag: 'web_search', agent: 'web search', kind: 'tool', body: 'text' };
export const crawlPage: TagRule = { tag: 'crawl_page', agent: 'crawl', kind: 'tool', body: 'urls' };
export const wikiSearch: TagRule = { tag: 'wiki_search', agent: 'wiki search', kind: 'tool', body: 'text' };
export const code: TagRule = { tag: 'code', agent: 'code', kind: 'tool', body: 'code' };
export const visualInspector: TagRule = {
  tag: 'visual_inspector',
  agent: 'visual inspector',
  kind: 'tool',
  body: 'json',
};
export const observation: TagRule = {
  tag: 'observation',
  agent: 'environment',
  kind: 'observation',
  body: 'text',
};
/** Reflection in free words. */
export const reflection: TagRule = {
  tag: 'reflection',
  agent: 'reflection',
  kind: 'reflection',
  body: 'text',
};
/** Reflection as three grades (AFM double check rule set). */
export const gradedReflection: TagRule = { ...reflection, body: 'grades' };
export const suggestedAnswer: TagRule = {
  tag: 'suggested_answer',
  agent: 'suggested answer',
  kind: 'suggested_answer',
  body: 'text',
};
export const doubleCheck: TagRule = {
  tag: 'double_check',
  agent: 'verification',
  kind: 'verification',
  body: 'score',
};
export const answer: TagRule = { tag: 'answer', agent: 'answer', kind: 'answer', body: 'text' };
