import type { Profile } from '../../schemas/coa/profile.ts';
import { roleForms } from '../../schemas/roleForms.ts';
import { toolCalls } from './keepPromises.ts';
import { jsonShape, type RolePrompt, systemPrompt } from './rolePrompt.ts';
import { actionKind, type TeamState } from './teamState.ts';

/** Steps before the end of the budget from which on the orchestrator is told how many are left. */
const WARN_AT_STEPS = 8;

/** What the orchestrator is asked: to think, and to pick the next action from those allowed. */
export function orchestratorPrompt(
  state: TeamState,
  allowed: readonly string[],
  mustFinish: boolean,
): RolePrompt {
  return {
    system: systemPrompt(state.profile, 'orchestrator', duty(state)),
    instruction: [
      `Decide what the team does next. Allowed now:\n${allowed.map((tag) => `- ${tag}: ${meaning(state.profile, tag)}`).join('\n')}`,
      progress(state),
      ...hurry(state.stepsLeft, mustFinish),
      jsonShape({
        think: `"${roleForms.choice}"`,
        next: allowed.map((tag) => `"${tag}"`).join(' or '),
      }),
    ].join('\n\n'),
  };
}

function duty({ profile, promises }: TeamState): string[] {
  const { count, least } = promises?.interactions ?? { count: 'tools', least: profile.min_interactions };
  const thorough =
    count === 'tools' ? `uses the tools at least ${times(least)}` : `takes at least ${least} actions`;
  return [
    'Think about what is known and what is missing, and choose which agent acts next.',
    ...(least > 0
      ? [
          `A thorough solution ${thorough}: take independent looks at each point, and check the result another way before you end.`,
        ]
      : []),
    'Never have a tool asked the same thing twice: after a result that does not help, change the approach.',
    'Your thinking is read by the agent that you choose: say what it should go for.',
    'When the evidence settles the question, move on to the answer.',
  ];
}

function meaning(profile: Profile, tag: string): string {
  switch (actionKind(profile, tag)) {
    case 'plan':
      return 'the planner breaks the task into steps, or revises them';
    case 'tool':
      return `the ${profile.tags.find((rule) => rule.tag === tag)!.agent} agent calls its tool once`;
    case 'reflection':
      return 'the reflector judges the work so far';
    case 'suggested_answer':
      return 'the answerer suggests an answer, which is then verified';
    case 'verification':
      return 'the verifier scores the suggested answer';
    case 'answer':
      return 'the answerer gives the final answer, which ends the work';
  }
}

function progress({ turns, promises, exhausted = [] }: TeamState): string {
  const { count, least = 0 } = promises?.interactions ?? {};
  const calls = toolCalls(turns);
  const goal = (of: typeof count, done: number) =>
    of === count && least > 0
      ? ` of at least ${least}${done >= least ? ': answer as soon as the results settle it' : ''}`
      : '';
  return [
    `Actions so far: ${turns.length}${goal('agents', turns.length + 1)}, of which tool calls: ${calls}${goal('tools', calls)}.`,
    ...exhausted.map(
      (tool) => `${tool} can't be chosen now: every input that its agent tried was used before.`,
    ),
  ].join('\n');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function hurry(stepsLeft: number, mustFinish: boolean): string[] {
  if (mustFinish) {
    return [`Only ${stepsLeft} actions are left: the list above holds those that still lead to an answer.`];
  }
  return stepsLeft <= WARN_AT_STEPS ? [`Only ${stepsLeft} actions are left.`] : [];
}
