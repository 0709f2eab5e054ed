import type { Effort } from '../../schemas/taskSynthesis.ts';
import type { Asked, SynthesisRoles, ToolTry } from '../roles.ts';
import { type AnswerJudge, type Inquiry, tallyOf } from './askAbout.ts';
import type { Tally } from './rules/askedRules.ts';
import { shownIn } from './rules/shownIn.ts';

export interface Answered {
  readonly tally: Tally;
  readonly answers: string[];
}

/** Results of a solver with tools on a question. */
export interface ToolTries extends Answered {
  readonly effort: Pick<Effort, 'tool_calls' | 'first_seen_at' | 'tools_pass_rate'>;
  /** Distinct wrong answers; tries without an answer are excluded. */
  readonly wrong: readonly ToolTry[];
}

interface AskedTask {
  readonly question: string;
  readonly answers: string[];
}

/** Measures a solver with tools on a question. */
export async function measureWithTools(
  task: AskedTask,
  tries: number,
  {
    roles,
    judge,
    inquiry,
  }: { readonly roles: SynthesisRoles; readonly judge: AnswerJudge; readonly inquiry: Inquiry },
): Promise<ToolTries> {
  const all = await inquiry.tries(tries, (context) => roles.solveWithTools(task.question, context));
  const right: Asked<ToolTry>[] = [];
  const wrong = new Map<string, ToolTry>();
  for (const one of all) {
    if (await isRight(task, one.value.answer, judge, inquiry)) right.push(one);
    else if (one.value.answer !== '') wrong.set(one.value.answer, one.value);
  }
  return {
    tally: tallyOf(all, right.length),
    answers: all.map(({ value }) => value.answer),
    effort: {
      ...effortOf(
        right.map(({ value }) => value),
        task.answers,
      ),
      tools_pass_rate: right.length / all.length,
    },
    wrong: [...wrong.values()],
  };
}

/** Judges an answer; an empty one is wrong. */
export async function isRight(
  task: AskedTask,
  answer: string,
  judge: AnswerJudge,
  { scope }: Inquiry,
): Promise<boolean> {
  return answer !== '' && (await judge(task, answer, scope));
}

/** Effort of the right try with the fewest tool calls. */
function effortOf(right: readonly ToolTry[], answers: readonly string[]): ToolTries['effort'] {
  const [best] = right.toSorted((a, b) => a.tool_calls - b.tool_calls);
  if (!best) return {};
  const seen = best.shown.findIndex((text) => answers.some((answer) => shownIn(answer, text)));
  return { tool_calls: best.tool_calls, ...(seen >= 0 && { first_seen_at: seen + 1 }) };
}
