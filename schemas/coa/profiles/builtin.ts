import type { Profile, TagRule } from '../profile.ts';
import * as tag from './tags.ts';

/**
 * AFM's double check rule set for any tools: think before every action, grade, suggest, verify. A Poor grade requires
 * a new plan, a score below 3 more work; a score of 3 or more accepts the answer.
 */
export function doubleCheckGrammar(tools: readonly TagRule[]) {
  const calls = tools.map((rule) => rule.tag);
  return {
    tags: [
      ...[tag.think, tag.plan, ...tools, tag.observation],
      ...[tag.gradedReflection, tag.suggestedAnswer, tag.doubleCheck, tag.answer],
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

/** Grammar of `code` and `math`: plan once, (think, code, observation, reflection) x N, think, answer. */
const programGrammar = {
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

/** Prompt that describes the content of each tag. */
function instruction(task: string, tags: string): string {
  return `${task} in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.\n\n${tags}`;
}

const thinkFirst = "<think>: reason about what to do next. It comes before every other agent's turn.";
const planSteps =
  '<plan>: break the question into steps, and revise the steps when the evidence asks for it.';
const planHops = '<plan>: break the question into hops, and revise them when the evidence asks for it.';
const webTools = `<web_search>: one search query. The results arrive in <observation>.
<crawl_page>: one URL, or several joined by |. Summaries of the pages arrive in <observation>.`;
const wikiTool = `<wiki_search>: one query to the encyclopedia. The passages arrive in <observation>.
<observation>: what the search returned. You never write it.`;
const toolReturned = '<observation>: what a tool returned. You never write it.';
const programPrinted = '<observation>: what the program printed. You never write it.';
const finalAnswer = '<answer>: the final answer, once, at the end. Several answers are joined by |.';
const checkedAnswer = `<reflection>: grade the work so far on information_conflict, tool_effectiveness and trajectory_monitoring, each Good, Average or Poor. Any Poor grade calls for a new plan.
<suggested_answer>: the answer that the evidence supports so far.
<double_check>: verify the suggested answer and write "The score this time is:N" with N from 1 to 4. From 3 on the answer stands; below that, plan again and suggest anew.
${finalAnswer}`;
const byATeam = 'by playing every agent of a team';

/** Open-web research with the AFM double check rule set. */
export const webProfile: Profile = {
  name: 'web',
  title: 'Web research with double check',
  domain: 'qa',
  ...doubleCheckGrammar([tag.webSearch, tag.crawlPage]),
  min_interactions: 5,
  instruction: instruction(
    'Answer the question by playing every agent of a research team',
    [thinkFirst, planSteps, webTools, toolReturned, checkedAnswer].join('\n'),
  ),
};

const ofHops = `Answer the question, which takes several hops, ${byATeam}`;

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
  instruction: instruction(
    ofHops,
    `<think>: reason about what to do next. It comes before <plan>, <wiki_search>, <reflection> and <answer>.
${planHops}
${wikiTool}
<reflection>: judge whether the evidence so far is consistent and sufficient, and what is still missing.
${finalAnswer}`,
  ),
  prompt_style: 'question',
};

/** Multi-hop questions over an encyclopedia with the web rules: AFM's second released prompt. */
const mhqaDoubleCheckProfile: Profile = {
  name: 'mhqa_double_check',
  title: 'Multi-hop questions with double check',
  domain: 'qa',
  ...doubleCheckGrammar([tag.wikiSearch]),
  min_interactions: 3,
  instruction: instruction(ofHops, [thinkFirst, planHops, wikiTool, checkedAnswer].join('\n')),
};

/** Programming tasks with a code sandbox. */
export const codeProfile: Profile = {
  ...programGrammar,
  name: 'code',
  title: 'Programming with a sandbox',
  domain: 'code',
  instruction: instruction(
    `Solve the programming task ${byATeam}`,
    `<plan>: first and once: the strategy in a few steps.
<think>: reason about the next program, or about the answer.
<code>: a program to try, in a fenced py block that prints what you need; a fenced sh block after it is its standard input. It runs in a sandbox and its output arrives in <observation>.
${programPrinted}
<reflection>: what the output shows, right after each observation.
<answer>: the finished program in one fenced py block, once, at the end.`,
  ),
};

/** Mathematical problems with a code sandbox. */
export const mathProfile: Profile = {
  ...programGrammar,
  name: 'math',
  title: 'Mathematics with a sandbox',
  domain: 'math',
  instruction: instruction(
    `Solve the mathematical problem ${byATeam}`,
    `<plan>: first and once: the mathematical strategy in a few steps.
<think>: reason about the next computation, or about the answer.
<code>: a program in a fenced py block that computes or verifies something and prints it. It runs in a sandbox and its output arrives in <observation>.
${programPrinted}
<reflection>: what the output means for the argument, right after each observation.
<answer>: the final answer as \\boxed{...}, once, at the end.`,
  ),
};

/** All tools of the agent foundation model (web, programs, images) with the double check rule set. */
const afmProfile: Profile = {
  name: 'afm',
  title: 'All tools with double check',
  domain: 'qa',
  ...doubleCheckGrammar([tag.webSearch, tag.crawlPage, tag.code, tag.visualInspector]),
  min_interactions: 5,
  instruction: instruction(
    `Answer the question ${byATeam}`,
    `${thinkFirst}
${planSteps}
${webTools}
<code>: a program in a fenced py block that prints what you need; a fenced sh block after it is its standard input. Its output arrives in <observation>.
<visual_inspector>: a fenced json block {"file_path": ..., "question": ...} that names an image and what to look for; without a question the image is described. What is seen arrives in <observation>.
${toolReturned}
${checkedAnswer}`,
  ),
};

/** Built-in profiles by name. */
export const builtinProfiles: Readonly<Record<string, Profile>> = {
  web: webProfile,
  mhqa: mhqaProfile,
  code: codeProfile,
  math: mathProfile,
  mhqa_double_check: mhqaDoubleCheckProfile,
  afm: afmProfile,
};

/** Built-in profile names in display order. */
export const builtinProfileNames = ['web', 'mhqa', 'code', 'math', 'mhqa_double_check', 'afm'] as const;

export function builtinProfile(name: string): Profile | undefined {
  return Object.hasOwn(builtinProfiles, name) ? builtinProfiles[name] : undefined;
}

/** Tags of all built-in profiles, observation included; they must never occur in free text. */
export const structuralTags: readonly string[] = [
  ...new Set(Object.values(builtinProfiles).flatMap((profile) => profile.tags.map((rule) => rule.tag))),
];
