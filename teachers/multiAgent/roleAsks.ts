import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import type { ChatAnswer, ToolDefinition } from '../../contract/chatModel.ts';
import type { Tool } from '../../contract/tool.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import { parseModelJson } from '../../schemas/parseModelJson.ts';
import {
  answererAnswerSchema,
  askedPlanSchema,
  orchestratorAnswerSchema,
  plannerAnswerSchema,
  reflectorAnswerSchema,
  verifierAnswerSchema,
  wantsThink,
} from '../../schemas/roleAnswers.ts';
import type { Role } from '../../schemas/trace.ts';
import { readJsonAnswer } from '../client/readJsonAnswer.ts';
import {
  answererPrompt,
  plannerPrompt,
  reflectorPrompt,
  toolAgentPrompt,
  verifierPrompt,
} from './agentPrompts.ts';
import type { Ask, ReadAnswer } from './askRole.ts';
import { conversation } from './conversation.ts';
import { refusedInput, refusedWords } from './keepPromises.ts';
import { orchestratorPrompt } from './orchestratorPrompt.ts';
import type { RolePrompt } from './rolePrompt.ts';
import { actionKind, roleOfAction, type TeamState } from './teamState.ts';

/** The orchestrator's choice. */
export interface Choice {
  readonly think: string;
  readonly next: string;
}

/** Asks the orchestrator which of the allowed actions comes next. */
export function orchestratorAsk(
  state: TeamState,
  allowed: readonly string[],
  mustFinish: boolean,
): Ask<Choice> {
  const prompt = orchestratorPrompt(state, allowed, mustFinish);
  return structuredAsk('orchestrator', null, state, { prompt, schema: orchestratorAnswerSchema(allowed) });
}

/** Asks the role that takes an action, tools excepted, for its words. */
export function actionAsk(state: TeamState, action: string): Ask<object> {
  const question = promptAndSchema(state, action);
  return structuredAsk(roleOfAction(state.profile, action), action, state, question);
}

/** What a role is told, and what its answer must be. */
interface RoleQuestion<T extends object> {
  readonly prompt: RolePrompt;
  readonly schema: z.ZodType<T>;
  /** What is asked for, where more is taken. Default: `schema`. */
  readonly asked?: z.ZodType;
}

function promptAndSchema(state: TeamState, action: string): RoleQuestion<object> {
  const withThink = wantsThink(state.profile, action);
  switch (actionKind(state.profile, action)) {
    case 'plan':
      return {
        prompt: plannerPrompt(state, withThink),
        schema: plannerAnswerSchema(withThink),
        asked: askedPlanSchema(withThink),
      };
    case 'reflection': {
      const graded = tagRule(state.profile, action)?.body === 'grades';
      return {
        prompt: reflectorPrompt(state, withThink, graded),
        schema: reflectorAnswerSchema(withThink, graded),
      };
    }
    case 'suggested_answer':
    case 'answer':
      return { prompt: answererPrompt(state, action, withThink), schema: answererAnswerSchema(withThink) };
    case 'verification':
      return { prompt: verifierPrompt(state, withThink), schema: verifierAnswerSchema(withThink) };
    case 'tool':
      throw new Error(`<${action}> is called, not written`);
  }
}

function structuredAsk<T extends object>(
  role: Role,
  action: string | null,
  state: TeamState,
  { prompt, schema, asked = schema }: RoleQuestion<T>,
): Ask<T> {
  const response_schema = { name: `${role}_answer`, schema: jsonSchemaOf(asked) };
  return {
    role,
    action,
    prepare: (style) => ({ messages: conversation(state, prompt, style), response_schema }),
    read(answer) {
      const json = readJsonAnswer(answer.content);
      if (!json.ok) return json;
      const parsed = schema.safeParse(json.value);
      if (!parsed.success) return { ok: false, error: z.prettifyError(parsed.error) };
      const read = parsed.data as JsonObject;
      const refused = refusedWords(state, json.value, read);
      if (refused !== undefined) return { ok: false, error: refused };
      return { ok: true, value: parsed.data, action: action ?? String(read.next), answer: read };
    },
  };
}

const jsonSchemas = new WeakMap<z.ZodType, JsonObject>();

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const made = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema) as JsonObject);
  jsonSchemas.set(schema, made);
  return made;
}

/** Asks the tool agent for one call of its tool; undefined where every input that it gave was used before. */
export function toolAsk(state: TeamState, tool: Tool, think: string | null): Ask<JsonObject | undefined> {
  const definition = tool.definitionFor?.(state.profile.domain) ?? tool.definition;
  return {
    role: 'tool_agent',
    action: tool.name,
    prepare(style) {
      const messages = conversation(state, toolAgentPrompt(state, definition, style, think), style);
      if (style === 'native') return { messages, tools: [definition] };
      return {
        messages,
        response_schema: { name: `${tool.name}_call`, schema: toolCallSchema(definition) },
      };
    },
    read(answer, style) {
      const read = style === 'native' ? readNativeCall(answer, tool) : readJsonCall(answer, tool);
      const refused = read.ok ? refusedInput(state, tool.name, read.value) : undefined;
      return refused === undefined ? read : { ok: false, error: refused, otherwise: { value: undefined } };
    },
  };
}

function readNativeCall(answer: ChatAnswer, tool: Tool): ReadAnswer<JsonObject> {
  const call = answer.tool_calls[0]?.function;
  if (!call) return { ok: false, error: `the answer holds no call of ${tool.name}` };
  if (call.name !== tool.name)
    return { ok: false, error: `expected a call of ${tool.name}, got one of ${call.name}` };
  const json = parseModelJson(call.arguments);
  if (!json.ok) return { ok: false, error: `the arguments are not JSON: ${json.error}` };
  return readInput(json.value, null, tool);
}

function readJsonCall(answer: ChatAnswer, tool: Tool): ReadAnswer<JsonObject> {
  const json = readJsonAnswer(answer.content);
  if (!json.ok) return json;
  if (json.value.tool !== tool.name) return { ok: false, error: `"tool" must be "${tool.name}"` };
  return readInput(json.value.input, json.value, tool);
}

function readInput(input: unknown, answer: JsonObject | null, tool: Tool): ReadAnswer<JsonObject> {
  const parsed = tool.parseInput(input);
  return parsed.ok ? { ok: true, value: parsed.input, action: tool.name, answer } : parsed;
}

/** What a tool call looks like as a structured answer: `{"tool": NAME, "input": {...}}`. */
function toolCallSchema({ name, parameters }: ToolDefinition): JsonObject {
  return {
    type: 'object',
    properties: { tool: { type: 'string', enum: [name] }, input: parameters },
    required: ['tool', 'input'],
    additionalProperties: false,
  };
}
