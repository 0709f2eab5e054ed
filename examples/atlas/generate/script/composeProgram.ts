import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Problem, Trial } from '../problems/problem.ts';

/** A solution of a problem with programs: a plan, each program with a look at its output, the answer. */
export function composeProgram(
  { plan, conclusion }: Problem,
  trials: readonly Trial[],
  answer: string,
): ScriptStep[] {
  return [
    // Where the grammar has no place for thinking, nobody asks for any.
    { action: 'plan', think: '', plan },
    ...trials.flatMap(trialSteps),
    { action: 'answer', think: conclusion, answer },
  ];
}

/** A program that never ends, and what the team makes of it. */
export const hangingTrial: Trial = {
  think: 'A first sketch, just to see the rule at work on a short list.',
  code: 'levels = [3, 1, 2]\nat = 0\nwhile at < len(levels):\n    if levels[at] > 0:\n        continue\n    at += 1\nprint(at)',
  reflection:
    'The sketch ran into the time limit: it skips the line that moves on, so the loop never ends. I write the next version without such a loop.',
};

function trialSteps({ think, code, stdin, extract, reflection }: Trial): ScriptStep[] {
  const input = stdin === undefined ? { code } : { code, stdin };
  return [
    { action: 'tool', tool: 'code', think, input, ...(extract && { extract }) },
    { action: 'reflection', think: '', reflection },
  ];
}
