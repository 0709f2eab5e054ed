import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ScriptEntry, ScriptStep } from '../../schemas/teacherScript.ts';
import { TEAM_TITLE } from '../multiAgent/conversation.ts';
import type { RequestView } from './requestView.ts';

/** Reply of the scripted model. */
export type Reply =
  | { readonly kind: 'json'; readonly answer: JsonObject }
  | { readonly kind: 'tool_call'; readonly name: string; readonly input: JsonObject }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'off_script'; readonly message: string };

/** Text of a model that stops in the middle of its JSON. */
const brokenJson = '{"think": "The first thing to settle is';

export function playStep(entry: ScriptEntry, view: RequestView, offersTools: boolean): Reply {
  return play(view.hinted ? asSecondTry(entry) : entry, view, offersTools);
}

/** Solution of a second try: the first up to its last step, then the correction. */
function asSecondTry({ second_try, ...entry }: ScriptEntry): ScriptEntry {
  return second_try ? { ...entry, steps: [...entry.steps.slice(0, -1), ...second_try] } : entry;
}

function play(entry: ScriptEntry, view: RequestView, offersTools: boolean): Reply {
  if (entry.flaw === 'refusal') return { kind: 'refusal', text: "I'm sorry, I can't help with that." };
  if (writesBrokenJson(entry, view)) return { kind: 'text', text: brokenJson };
  const step = stepOf(entry, view);
  if (!step) {
    return { kind: 'off_script', message: `the script has ${entry.steps.length} steps, and all are taken` };
  }
  const values = extractValues(entry, view.taken, view.observations);
  return replyOf(fillTemplate(step, values) as unknown as ScriptStep, view, offersTools);
}

/** Step whose turn it is; the final answer if the team's limits leave room only for that. */
function stepOf({ steps }: ScriptEntry, { taken, role, offered }: RequestView): ScriptStep | undefined {
  const step = steps[taken];
  const mustAnswer = role === 'answerer' || offered.join() === 'answer';
  return step && mustAnswer && roleOfStep[step.action] !== 'answerer' ? steps.at(-1) : step;
}

function writesBrokenJson({ flaw }: ScriptEntry, view: RequestView): boolean {
  if (flaw === 'malformed_json') return true;
  return flaw === 'malformed_json_once' && view.taken === 0 && !view.written.includes(brokenJson);
}

function replyOf(step: ScriptStep, view: RequestView, offersTools: boolean): Reply {
  const action = step.action === 'tool' ? step.tool : step.action;
  if (view.role === 'orchestrator') return { kind: 'json', answer: { think: step.think, next: action } };
  if (view.role === TEAM_TITLE) return mergedReply(step, action, view);
  if (view.role !== roleOfStep[step.action]) return notAsked(step, view.role, view);
  if (step.action !== 'tool') return { kind: 'json', answer: answerOf(step) };
  const { tool, input } = step;
  return offersTools ? { kind: 'tool_call', name: tool, input } : { kind: 'json', answer: { tool, input } };
}

/** Choice and action in one answer. */
function mergedReply(step: ScriptStep, action: string, view: RequestView): Reply {
  const [only, ...others] = view.offered;
  if (only !== action && others.length === 0) return notAsked(step, `agent of ${only}`, view);
  const { think, ...words } =
    step.action === 'tool' ? { think: step.think, input: step.input } : answerOf(step);
  return { kind: 'json', answer: { think, next: { action, ...words } } };
}

function notAsked(step: ScriptStep, role: string, { taken }: RequestView): Reply {
  const message = `step ${taken + 1} of the script is ${step.action}, but the ${role} was asked`;
  return { kind: 'off_script', message };
}

const roleOfStep: Readonly<Record<ScriptStep['action'], string>> = {
  plan: 'planner',
  tool: 'tool agent',
  reflection: 'reflector',
  suggested_answer: 'answerer',
  answer: 'answerer',
  double_check: 'verifier',
};

function answerOf(step: Exclude<ScriptStep, { action: 'tool' }>): JsonObject {
  const { think } = step;
  switch (step.action) {
    case 'plan':
      return { think, plan: step.plan };
    case 'reflection':
      return typeof step.reflection === 'string'
        ? { think, reflection: step.reflection }
        : { think, ...step.reflection };
    case 'double_check':
      return { think, score: step.score };
    default:
      return { think, answer: step.answer };
  }
}

/** Value of a name whose pattern is not found, so that the teacher admits it. */
const NOT_FOUND = 'unknown';

/** Values extracted from the observations so far, by name. */
export function extractValues(
  entry: ScriptEntry,
  taken: number,
  observations: readonly string[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const calls = entry.steps.slice(0, taken).filter((step) => step.action === 'tool');
  calls.forEach((call, index) => {
    for (const [name, pattern] of Object.entries(call.extract ?? {})) {
      const found = new RegExp(pattern, 'm').exec(observations[index] ?? '')?.[1]?.trim();
      values.set(name, found || NOT_FOUND);
    }
  });
  return values;
}

/** Replaces `{{name}}` by its value in texts at any depth. Names without a value are unchanged. */
export function fillTemplate(value: JsonValue | undefined, values: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') {
    return value.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values.get(name) ?? whole);
  }
  if (Array.isArray(value)) return value.map((member) => fillTemplate(member, values));
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillTemplate(member, values)]),
  );
}
