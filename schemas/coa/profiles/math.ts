import type { Profile } from '../profile.ts';
import { programGrammar } from './program.ts';

const instruction = `Solve the mathematical problem by playing every agent of a team in one text. Write each agent's words between its tags; tags never nest and never appear inside other text.

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
  instruction,
};
