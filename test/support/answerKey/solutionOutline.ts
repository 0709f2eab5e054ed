import type { ScriptStep } from '../../../schemas/teacherScript.ts';

/** A call of a tool in a script. */
export type ToolStep = Extract<ScriptStep, { action: 'tool' }>;

/** What a solution is made of, before a profile puts it in order. */
export interface SolutionOutline {
  /** What the task is about, in a few of its own words. */
  readonly subject: string;
  readonly plan: string;
  readonly calls: readonly ToolStep[];
  readonly answer: string;
  /** An answer that is suggested first and found wanting; null without one. */
  readonly rejectedAnswer: string | null;
  readonly reflects: boolean;
}

const fineGrades = {
  information_conflict: 'Good',
  tool_effectiveness: 'Good',
  trajectory_monitoring: 'Good',
} as const;

/** Web rules: gather, grade, gather, suggest, double-check. */
export function webSteps({
  subject,
  plan,
  calls,
  answer,
  rejectedAnswer,
  reflects,
}: SolutionOutline): ScriptStep[] {
  const half = Math.ceil(calls.length / 2);
  const reflection: ScriptStep = {
    action: 'reflection',
    think: `The results about ${subject} agree with each other, each call brought something, and the plan holds.`,
    reflection: fineGrades,
  };
  return [
    { action: 'plan', think: `The question is about ${subject}; it needs sources before an answer.`, plan },
    ...calls.slice(0, half),
    ...(reflects ? [reflection] : []),
    ...calls.slice(half),
    ...(rejectedAnswer === null ? [] : rejectedRound(subject, rejectedAnswer)),
    { action: 'suggested_answer', think: `What was found about ${subject} supports one answer.`, answer },
    {
      action: 'double_check',
      think: 'Every condition of the question is met by the answer, and nothing found speaks against it.',
      score: 4,
    },
  ];
}

function rejectedRound(subject: string, answer: string): ScriptStep[] {
  return [
    { action: 'suggested_answer', think: `A first guess about ${subject}.`, answer },
    {
      action: 'double_check',
      think: 'The suggestion is not supported: no result states it, and a condition of the question is open.',
      score: 2,
    },
    {
      action: 'plan',
      think: 'The open condition has to be settled before anything is suggested again.',
      plan: `1. Drop the first guess. 2. Go by what the results about ${subject} state.`,
    },
  ];
}

/** Multi-hop rules: gather, reflect, gather, reflect, answer. */
export function multiHopSteps({ subject, plan, calls, answer, reflects }: SolutionOutline): ScriptStep[] {
  const half = Math.ceil(calls.length / 2);
  const reflect = (think: string, reflection: string): ScriptStep[] =>
    reflects ? [{ action: 'reflection', think, reflection }] : [];
  return [
    { action: 'plan', think: `The question about ${subject} is answered hop by hop.`, plan },
    ...calls.slice(0, half),
    ...reflect(
      `Is the evidence about ${subject} enough so far?`,
      'The passages agree, but the last hop still needs its own evidence.',
    ),
    ...calls.slice(half),
    // A single call leaves nothing to reflect on a second time.
    ...(calls.length > half
      ? reflect(`Does the last hop about ${subject} stand?`, 'The evidence is consistent and sufficient.')
      : []),
    { action: 'answer', think: `The hops about ${subject} lead to one answer.`, answer },
  ];
}

/** Rules of mathematics and programming: plan once, a reflection after each program, then the answer. */
export function programSteps({ subject, plan, calls, answer }: SolutionOutline): ScriptStep[] {
  return [
    { action: 'plan', think: `The task is about ${subject}.`, plan },
    ...calls.flatMap((call, index): ScriptStep[] => [
      call,
      {
        action: 'reflection',
        think: `What does run ${index + 1} show?`,
        reflection: `Run ${index + 1} printed what it was meant to show; the next point can be taken up.`,
      },
    ]),
    { action: 'answer', think: `The runs settle the task about ${subject}.`, answer },
  ];
}
