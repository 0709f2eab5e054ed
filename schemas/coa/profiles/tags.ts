import type { BodyRule, TagKind, TagRule } from '../profile.ts';

function rule(tag: string, kind: TagKind, body: BodyRule = 'text', agent: string = kind): TagRule {
  return { tag, agent, kind, body };
}

/** Tags shared by profiles (paper section 2 and the released prompts). */
export const think = rule('think', 'thinking');
export const plan = rule('plan', 'plan');
export const webSearch = rule('web_search', 'tool', 'text', 'web search');
export const crawlPage = rule('crawl_page', 'tool', 'urls', 'crawl');
export const wikiSearch = rule('wiki_search', 'tool', 'text', 'wiki search');
export const code = rule('code', 'tool', 'code', 'code');
export const visualInspector = rule('visual_inspector', 'tool', 'json', 'visual inspector');
export const observation = rule('observation', 'observation', 'text', 'environment');
/** Reflection as free text. */
export const reflection = rule('reflection', 'reflection');
/** Reflection as three grades (AFM double check rule set). */
export const gradedReflection = rule('reflection', 'reflection', 'grades');
export const suggestedAnswer = rule('suggested_answer', 'suggested_answer', 'text', 'suggested answer');
export const doubleCheck = rule('double_check', 'verification', 'score');
export const answer = rule('answer', 'answer');
