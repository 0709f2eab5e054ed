import type { Profile } from '../profile.ts';
import { programGrammar } from './program.ts';

const instruction = `Solve the programming task by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

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
  instruction,
};
