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

const codePrompt = `Solve the programming task by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

<plan>: first and once: the strategy in a few steps.
<think>: reason about the next program, or about the answer.
<code>: a program to try, in a fenced py block that prints what you need; a fenced sh block after it is its standard input. It runs in a sandbox and its output arrives in <observation>.
<observation>: what the program printed. You never write it.
<reflection>: what the output shows, right after each observation.
<answer>: the finished program in one fenced py block, once, at the end.`;

/** Programming tasks with a code sandbox. */
export const codeProfile: Profile = {
  ...programGrammar,
  name: 'code',
  title: 'Programming with a sandbox',
  domain: 'code',
  instruction: codePrompt,
};

const mathPrompt = `Solve the mathematical problem by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

<plan>: first and once: the mathematical strategy in a few steps.
<think>: reason about the next computation, or about the answer.
<code>: a program in a fenced py block that computes or verifies something and prints it. It runs in a sandbox and its output arrives in <observation>.
<observation>: what the program printed. You never write it.
<reflection>: what the output means for the argument, right after each observation.
<answer>: the final answer as \\boxed{...}, once, at the end.`;

/** Mathematical problems with a code sandbox. */
export const mathProfile: Profile = {
  ...programGrammar,
  name: 'math',
  title: 'Mathematics with a sandbox',
  domain: 'math',
  instruction: mathPrompt,
};
