import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { reflectionCriteria } from '../../schemas/coa/bodies.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import {
  answererAnswerSchema,
  askedPlanSchema,
  plannerAnswerSchema,
  reflectorAnswerSchema,
  verifierAnswerSchema,
} from '../../schemas/roleAnswers.ts';
import { shownForms } from '../../schemas/roleForms.ts';
import { actionKind, type TeamState } from './teamState.ts';

/** What stands for words in a form: a model that copies it says nothing, which is seen (`isFormText`). */
const dots = '"..."';

/** The members of a JSON object, in words: for endpoints that can't be given a schema, and as a guide for all. */
export type FormMembers = Readonly<Record<string, string>>;

/** A JSON object as forms show it. */
export function jsonForm(members: FormMembers): string {
  const shown = Object.entries(members).map(([name, value]) => `"${name}": ${value}`);
  return `{${shown.join(', ')}}`;
}

/** The `think` member where the grammar wants thinking, nothing otherwise. */
export function thinkMember(withThink: boolean): FormMembers {
  return withThink ? { think: dots } : {};
}

/** What the agent of an action is asked to do, and what it answers; tools are called instead. */
export interface ActionForm {
  readonly request: string;
  /** Without `think`. */
  readonly members: FormMembers;
  readonly schema: z.ZodType<object>;
  /** What is asked for, where `schema` takes more. */
  readonly asked: z.ZodType;
}

/** The form of an action, with or without thinking. */
export function actionForm(state: TeamState, action: string, withThink: boolean): ActionForm {
  const { profile, turns } = state;
  const kind = actionKind(profile, action);
  switch (kind) {
    case 'plan': {
      const again = turns.some((turn) => turn.tag === action);
      return {
        request: again ? 'Revise the plan in the light of what has happened since.' : 'Write the plan.',
        members: { plan: shownForms.plan },
        schema: plannerAnswerSchema(withThink),
        asked: askedPlanSchema(withThink),
      };
    }
    case 'reflection': {
      const graded = tagRule(profile, action)?.body === 'grades';
      const schema = reflectorAnswerSchema(withThink, graded);
      const members = graded ? grades : { reflection: shownForms.reflection };
      return { request: 'Reflect on the work so far.', members, schema, asked: schema };
    }
    case 'suggested_answer':
    case 'answer': {
      const schema = answererAnswerSchema(withThink);
      const request =
        kind === 'answer' ? 'Give the final answer.' : 'Suggest an answer, which the verifier will check.';
      return { request, members: { answer: shownForms.answer[profile.domain] }, schema, asked: schema };
    }
    case 'verification': {
      const schema = verifierAnswerSchema(withThink);
      const members = { score: '1 or 2 or 3 or 4' };
      return { request: 'Verify the last suggested answer.', members, schema, asked: schema };
    }
    case 'tool':
      throw new Error(`<${action}> is called, not written`);
  }
}

const grades: FormMembers = Object.fromEntries(reflectionCriteria.map((criterion) => [criterion, dots]));

/** A tool's input as forms show it: what it needs. */
export function inputForm({ parameters }: ToolDefinition): string {
  return placeholder(parameters);
}

function placeholder(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return '...';
  switch (schema.type) {
    case 'object':
      return jsonForm(Object.fromEntries(neededMembers(schema)));
    case 'array':
      return `[${placeholder(schema.items)}, ...]`;
    case 'string':
      return dots;
    default:
      return '...';
  }
}

function neededMembers({ properties, required }: JsonObject): [string, string][] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([name]) => needed.includes(name))
    .map(([name, schema]) => [name, placeholder(schema)]);
}
