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

/** Placeholder in a form: a model that copies it is detected (`isFormText`). */
const dots = '"..."';

/** Members of a JSON object, described in words: for endpoints without schemas, and as a guide for all. */
export type FormMembers = Readonly<Record<string, string>>;

/** A JSON object as forms show it. */
export function jsonForm(members: FormMembers): string {
  const shown = Object.entries(members).map(([name, value]) => `"${name}": ${value}`);
  return `{${shown.join(', ')}}`;
}

/** The `think` member if the grammar wants thinking. */
export function thinkMember(withThink: boolean): FormMembers {
  return withThink ? { think: dots } : {};
}

/** Request and answer form of an action other than a tool. */
export interface ActionForm {
  readonly request: string;
  /** Members without `think`. */
  readonly members: FormMembers;
  readonly schema: z.ZodType<object>;
  /** Requested schema, if `schema` accepts more. */
  readonly asked: z.ZodType;
}

/** Form of an action, with or without thinking. */
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
