import type { JsonObject } from '../../../../base/json.ts';
import type { PlantedFlaw, ScriptStep } from '../../../../schemas/teacherScript.ts';
import { codeLists } from '../problems/codeLists.ts';
import { codeMaps } from '../problems/codeMaps.ts';
import { codeNumbers } from '../problems/codeNumbers.ts';
import { codeText } from '../problems/codeText.ts';
import { mathAlgebra } from '../problems/mathAlgebra.ts';
import { mathCounting } from '../problems/mathCounting.ts';
import { mathFractions } from '../problems/mathFractions.ts';
import { mathNumbers } from '../problems/mathNumbers.ts';
import type { CodeProblem, MathProblem, Problem, Trial } from '../problems/problem.ts';
import { codeFlaws, type FlawPlan, mathFlaws } from './flawPlans.ts';
import { plantFlaw } from './plantFlaw.ts';
import { type SolvedTask, withDuplicates } from './solvedTask.ts';

/** The problems of mathematics, with their solutions. */
export function solveMath(): SolvedTask[] {
  const problems: MathProblem[] = [...mathCounting, ...mathFractions, ...mathAlgebra, ...mathNumbers];
  const tasks = problems.map((problem, at) => {
    const wrong = problems[(at + 1) % problems.length]!.answer;
    return solve('math', at, problem, mathFlaws, '{{answer}}', wrong, { answer: problem.answer });
  });
  return withDuplicates(tasks, 1, 5);
}

/** The programming tasks, with their solutions. */
export function solveCode(): SolvedTask[] {
  const problems: CodeProblem[] = [...codeLists, ...codeMaps, ...codeNumbers, ...codeText];
  const tasks = problems.map((problem, at) => {
    const wrong = problems[(at + 1) % problems.length]!.solution;
    const { tests, solution } = problem;
    return solve('code', at, problem, codeFlaws, solution, wrong, { tests: tests as unknown as JsonObject });
  });
  return withDuplicates(tasks, 2, 5);
}

function solve(
  profile: 'math' | 'code',
  at: number,
  problem: Problem,
  flaws: FlawPlan,
  answer: string,
  wrong: string,
  gold: JsonObject,
): SolvedTask {
  const flaw = flaws[at] ?? null;
  const id = `${profile}-${String(at + 1).padStart(2, '0')}`;
  const steps = plantFlaw(composeProgram(problem, trialsOf(problem, flaw), answer), flaw, wrong);
  const { question } = problem;
  return { row: { id, question, ...gold }, entry: { question, profile, steps, flaw } };
}

/** The programs that are tried: the first only where too few is the flaw, after one that hangs where that is it. */
function trialsOf({ trials }: Problem, flaw: PlantedFlaw | null): Problem['trials'][number][] {
  if (flaw === 'too_few_interactions') return [trials[0]];
  return flaw === 'hanging_code' ? [hangingTrial, ...trials] : [...trials];
}

/** A solution of a problem with programs: a plan, each program with a look at its output, the answer. */
function composeProgram(
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
const hangingTrial: Trial = {
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
