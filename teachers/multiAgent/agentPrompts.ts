import { canonicalJson } from '../../base/ids.ts';
import type { ToolCallStyle, ToolDefinition } from '../../contract/chatModel.ts';
import { reflectionCriteria, reflectionGrades } from '../../schemas/coa/bodies.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { roleForms } from '../../schemas/roleForms.ts';
import { jsonShape, type RolePrompt, systemPrompt, thinkMember } from './rolePrompt.ts';
import { actionKind, type TeamState } from './teamState.ts';

const verifierDuty = [
  'Check the suggested answer against the question and the results, as someone who would rather find a mistake than confirm it.',
  'Go through every condition of the question: is it met, and which result shows that?',
  'Score 4: every condition is shown to be met. 3: well supported, with nothing against it. 2: a condition is open or the support is thin. 1: a result contradicts it, or it answers another question.',
  'From 3 on the answer stands and the work ends; 1 and 2 send the team back to work, so say what is to be done.',
];

/** What the verifier is asked: the rationale and a score from 1 to 4. */
export function verifierPrompt({ profile }: TeamState, withThink: boolean): RolePrompt {
  return {
    system: systemPrompt(profile, 'verifier', verifierDuty),
    instruction: `Verify the last suggested answer.

${jsonShape({
  ...thinkMember(withThink, roleForms.verification),
  score: '1 or 2 or 3 or 4',
})}`,
  };
}

const commonDuty = [
  'Judge the work so far: whether the results agree, whether they bear on the question, what is still open.',
  'Name mistakes plainly, and what would put them right.',
  'Do not give the final answer.',
];

const gradedDuty = [
  ...commonDuty,
  'information_conflict: Good when the results agree, Average for small differences, Poor when they contradict each other.',
  'tool_effectiveness: Good when the calls brought what they were meant to, Average when in part, Poor when they did not.',
  'trajectory_monitoring: Good when the work keeps to a plan that leads to the answer, Average when it wanders, Poor when it is stuck.',
  'A Poor grade sends the team back to the planner: give it where a new plan is needed, and only there.',
];

/** What the reflector is asked: grades, or words, as the profile has it. */
export function reflectorPrompt({ profile }: TeamState, withThink: boolean, graded: boolean): RolePrompt {
  const grades = reflectionGrades.map((grade) => `"${grade}"`).join(' or ');
  const body: Record<string, string> = graded
    ? Object.fromEntries(reflectionCriteria.map((criterion) => [criterion, grades]))
    : { reflection: `"${roleForms.reflection}"` };
  return {
    system: systemPrompt(profile, 'reflector', graded ? gradedDuty : commonDuty),
    instruction: `Reflect on the work so far.

${jsonShape({
  ...thinkMember(withThink, graded ? roleForms.grades : roleForms.reflectionThought),
  ...body,
})}`,
  };
}

const answerForm: Readonly<Record<Profile['domain'], readonly string[]>> = {
  qa: [
    'The answer is the shortest phrase that answers the question in full: a name, a date, a number with its unit. No sentence, no explanation.',
    'Where the question asks for several things, join them with " | ".',
    'Spell names as the results spell them. Where the results do not settle it, give the answer that they support best.',
  ],
  math: [
    'The answer is the final value alone, exact and simplified, in LaTeX where it is no plain number: no words, no equation, no unit unless it is asked for.',
    'Give it in the form that the problem asks for.',
  ],
  code: [
    'The answer is one complete Python program as plain text, without a fence and without explanation.',
    "Keep to the task's interface: read standard input and write standard output, or define exactly the class and method that the task gives.",
    'Handle the edge cases and sizes that the task allows, not only its examples.',
  ],
};

/** What the answerer is asked, for the suggested answer and for the final one. */
export function answererPrompt({ profile }: TeamState, action: string, withThink: boolean): RolePrompt {
  const suggested = actionKind(profile, action) === 'suggested_answer';
  return {
    system: systemPrompt(profile, 'answerer', [
      "State the answer that the team's work supports.",
      ...answerForm[profile.domain],
    ]),
    instruction: `${suggested ? 'Suggest an answer; the verifier will check it.' : 'Give the final answer.'}

${jsonShape({
  ...thinkMember(withThink, roleForms.answerThought),
  answer: `"${profile.domain === 'code' ? roleForms.program : roleForms.answer}"`,
})}`,
  };
}

const plannerDuty = [
  'Break the task into the few steps that settle it, in order, each small enough for one or two tool calls.',
  'Say for each step which tool serves it and what a good result would show.',
  'End with a step that checks the result in an independent way.',
  'When you are asked again, keep what is settled, say what went wrong, and change the rest.',
  'Do not solve the task yourself and do not guess its answer.',
];

/** What the planner is asked: the first plan, or a revised one. */
export function plannerPrompt({ profile, turns }: TeamState, withThink: boolean): RolePrompt {
  const again = turns.some((turn) => turn.tag === 'plan');
  return {
    system: systemPrompt(profile, 'planner', plannerDuty),
    instruction: `${again ? 'Revise the plan in the light of what has happened since.' : 'Write the plan.'}

${jsonShape({
  ...thinkMember(withThink, roleForms.planThought),
  plan: `["${roleForms.planStep}", ...]`,
})}`,
  };
}

const toolAgentDuty = [
  'Call the tool that you are given exactly once, with the input that best serves what the orchestrator goes for.',
  'Queries are short and specific: names, dates, the one fact that is missing; never the whole question.',
  'URLs are copied letter by letter from earlier results.',
  'Programs are complete, short, and print what is to be learnt; they read nothing but their standard input and end within seconds.',
  'Never repeat an input that was used before: its result would be the same.',
];

/** What a tool agent is asked: one call, natively or as a structured answer. */
export function toolAgentPrompt(
  { profile }: TeamState,
  tool: ToolDefinition,
  style: ToolCallStyle,
  think: string | null,
): RolePrompt {
  const goal = think === null ? [] : [`What the orchestrator goes for:\n${think}`];
  return {
    system: systemPrompt(profile, 'tool agent', toolAgentDuty),
    instruction: [...goal, style === 'native' ? `Call ${tool.name} now.` : asJson(tool)].join('\n\n'),
  };
}

function asJson({ name, description, parameters }: ToolDefinition): string {
  return `Call ${name} now. ${description}

${jsonShape({ tool: `"${name}"`, input: 'an object that fits the JSON Schema below' })}

JSON Schema of "input":
${canonicalJson(parameters)}`;
}
