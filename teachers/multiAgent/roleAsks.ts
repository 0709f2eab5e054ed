import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { oncePer } from '../../base/once.ts';
import type { ChatAnswer, ToolDefinition } from '../../contract/chatModel.ts';
import type { Tool } from '../../contract/tool.ts';
import { parseModelJson } from '../../schemas/parseModelJson.ts';
import { readJsonAnswer } from '../../schemas/readJsonAnswer.ts';
import { orchestratorAnswerSchema, wantsThink } from '../../schemas/roleAnswers.ts';
import { actionForm, type FormMembers, inputForm, jsonForm, thinkMember } from './answerForms.ts';
import type { Ask, ReadAnswer } from './askRole.ts';
import { conversation } from './conversation.ts';
import { refusedInput, refusedWords } from './keepPromises.ts';
import { earlyActions, refusedEarly } from './nextActions.ts';
import { progress } from './progress.ts';
import { roleOfAction, type TeamRole, type TeamState } from './teamState.ts';

/** Selection by the orchestrator. */
export interface Choice {
  readonly think: string;
  readonly next: string;
}

/** Asks the orchestrator for the next of the allowed actions. */
export function orchestratorAsk(
  state: TeamState,
  allowed: readonly string[],
  mustFinish: boolean,
): Ask<Choice> {
  const early = earlyActions(state).filter((tag) => !allowed.includes(tag));
  const asked = orchestratorAnswerSchema(allowed);
  const members = { ...thinkMember(true), next: allowed.map((tag) => `"${tag}"`).join(' or ') };
  const request = `Pick the next action. ${progress(state, mustFinish)}`;
  const schema = orchestratorAnswerSchema([...allowed, ...early]);
  const ask = structuredAsk(state, 'orchestrator', null, { request, members, schema, asked });
  const read: typeof ask.read = (answer, style) => {
    const found = ask.read(answer, style);
    return found.ok && early.includes(found.value.next) ? refusedEarly(state, found) : found;
  };
  return { ...ask, read };
}

/** Asks the role of an action, tools excepted, for its content. */
export function actionAsk(state: TeamState, action: string): Ask<object> {
  const withThink = wantsThink(state.profile, action);
  const { members, ...form } = actionForm(state, action, withThink);
  const question = { ...form, members: { ...thinkMember(withThink), ...members } };
  return structuredAsk(state, roleOfAction(state.profile, action), action, question);
}

/** Request to a role and the schema of its answer. */
interface Question<T extends object> {
  readonly request: string;
  readonly members: FormMembers;
  readonly schema: z.ZodType<T>;
  /** Requested schema, if a wider one is accepted. */
  readonly asked: z.ZodType;
}

function structuredAsk<T extends object>(
  state: TeamState,
  role: TeamRole,
  action: string | null,
  { request, members, schema, asked }: Question<T>,
): Ask<T> {
  const response_schema = { name: `${role}_answer`, schema: jsonSchemaOf(asked) };
  const instruction = inJson(request, jsonForm(members));
  return {
    role,
    action,
    prepare: (style) => ({ messages: conversation(state, { role, instruction }, style), response_schema }),
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

/** Start of the line with the answer's form, the last one of an instruction. */
export const FORM_START = '\nAnswer in JSON: ';

/** Appends the answer's form to an instruction. */
export function inJson(request: string, form: string): string {
  return `${request}${FORM_START}${form}`;
}

/** The JSON Schema of a schema, made once. */
export const jsonSchemaOf = oncePer((schema: z.ZodType) => z.toJSONSchema(schema) as JsonObject);

/** Asks the tool agent for one call; undefined if all its inputs were used before. */
export function toolAsk(state: TeamState, tool: Tool, think: string | null): Ask<JsonObject | undefined> {
  const definition = offered(tool, state);
  const goal = think === null ? '' : `The orchestrator's thought:\n${think}\n\n`;
  const request = `${goal}Call ${tool.name} now.`;
  const form = jsonForm({ tool: `"${tool.name}"`, input: inputForm(definition) });
  const ask = (instruction: string) => ({ role: 'tool_agent' as const, instruction });
  return {
    role: 'tool_agent',
    action: tool.name,
    prepare(style) {
      if (style === 'native')
        return { messages: conversation(state, ask(request), style), tools: [definition] };
      return {
        messages: conversation(state, ask(inJson(request, form)), style),
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

/** Definition of a tool for a profile's tasks. */
export function offered(tool: Tool, { profile }: Pick<TeamState, 'profile'>): ToolDefinition {
  return tool.definitionFor?.(profile.domain) ?? tool.definition;
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

/** Schema of a tool call as a structured answer: `{"tool": NAME, "input": {...}}`. */
function toolCallSchema({ name, parameters }: ToolDefinition): JsonObject {
  return closedObject({ tool: { type: 'string', enum: [name] }, input: parameters });
}

/** JSON Schema of an object with exactly these members. */
export function closedObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
