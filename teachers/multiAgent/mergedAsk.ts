import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { readJsonAnswer } from '../../schemas/readJsonAnswer.ts';
import { wantsThink } from '../../schemas/roleAnswers.ts';
import { actionForm, inputForm, jsonForm, thinkMember } from './answerForms.ts';
import type { Ask, ReadAnswer } from './askRole.ts';
import { conversation, TEAM_TITLE } from './conversation.ts';
import { refusedInput, refusedWords } from './keepPromises.ts';
import { earlyActions, refusedEarly } from './nextActions.ts';
import { progress } from './progress.ts';
import { closedObject, inJson, jsonSchemaOf, offered } from './roleAsks.ts';
import { isTool, roleOfAction, type TeamRole, type TeamState, takenActions } from './teamState.ts';

/** Result of a merged turn: an action's text, a tool and its input, or an action for another model. */
export interface MergedTurn {
  readonly action: string;
  readonly think: string | null;
  /** Content of an action other than a tool. */
  readonly answer?: JsonObject;
  /** Input of a tool. */
  readonly input?: JsonObject;
  /** True for a tool without a possible call: its inputs were used before, or the thoughts copied. */
  readonly isExhausted?: boolean;
}

/** Choices of a merged turn. */
export interface MergedChoice {
  readonly allowed: readonly string[];
  readonly mustFinish: boolean;
  /** True for roles that the orchestrator's model also plays. */
  readonly isOwn: (role: TeamRole) => boolean;
  readonly toolOf: (tag: string) => Tool;
  /** True if the schema always contains every action of the profile. Default: only the allowed ones. */
  readonly hasOneSchema?: boolean | undefined;
}

/** One of the actions: its part of the answer, and how to read it. */
interface Branch {
  readonly form: string;
  readonly schema: JsonObject;
  read(next: JsonObject, think: string | null): ReadAnswer<MergedTurn>;
}

/**
 * Asks for the next action and its content in one answer: `{"think": ..., "next": {"action": ..., ...}}`. The
 * actions' objects are nested, since OpenAI refuses a union at the root of a schema. The event belongs to the author
 * of the text: the orchestrator for tools, with their input, otherwise the acting role.
 */
export function mergedAsk(state: TeamState, choice: MergedChoice): Ask<MergedTurn> {
  const { profile } = state;
  const branches = new Map(choice.allowed.map((action) => [action, branchOf(state, action, choice)]));
  const inSchema = choice.hasOneSchema ? possibleActions(state) : choice.allowed;
  const withThink = inSchema.some((action) => wantsThink(profile, action));
  const forms = [...branches.values()].map(({ form }) => form);
  const form = jsonForm({ ...thinkMember(withThink), next: forms.join(' or ') });
  const request = `Pick the next action and take it. ${progress(state, choice.mustFinish)}`;
  const turn = { role: 'orchestrator' as const, title: TEAM_TITLE, instruction: inJson(request, form) };
  const schema = closedObject({
    ...(withThink && { think: { type: 'string' } }),
    next: { anyOf: inSchema.map((tag) => (branches.get(tag) ?? branchOf(state, tag, choice)).schema) },
  });
  const [only, ...others] = choice.allowed;
  const action = only !== undefined && others.length === 0 ? only : null;
  return {
    role: action === null || isTool(profile, action) ? 'orchestrator' : roleOfAction(profile, action),
    action,
    prepare: () => ({
      messages: conversation(state, turn, 'structured'),
      response_schema: { name: 'team_answer', schema },
    }),
    read(answer) {
      const json = readJsonAnswer(answer.content);
      if (!json.ok) return json;
      const action = takenAction(json.value).action;
      if (typeof action !== 'string' || branches.has(action) || !earlyActions(state).includes(action))
        return readMerged(json.value, profile, branches);
      const early = readMerged(json.value, profile, new Map([[action, branchOf(state, action, choice)]]));
      return early.ok ? refusedEarly(state, early) : early;
    },
  };
}

function readMerged(
  said: JsonObject,
  profile: Profile,
  branches: ReadonlyMap<string, Branch>,
): ReadAnswer<MergedTurn> {
  const next = takenAction(said);
  const action = String(next.action);
  const branch = branches.get(action);
  if (!branch) {
    const allowed = [...branches.keys()].map((tag) => `"${tag}"`).join(', ');
    return { ok: false, error: `"action" must be one of ${allowed}` };
  }
  if (!wantsThink(profile, action)) return branch.read(next, null);
  const think = thinking.safeParse(said.think);
  return think.success ? branch.read(next, think.data) : { ok: false, error: '"think" must be words' };
}

const thinking = z.string().trim().min(1);

/** Actions of the profile, except tools that are not available. */
function possibleActions({ profile, tools = [] }: TeamState): string[] {
  const isThere = (action: string) => !isTool(profile, action) || tools.some(({ name }) => name === action);
  return takenActions(profile).filter(isThere);
}

/** Object of the chosen action; small models without a schema put its members next to `think`. */
function takenAction({ next, ...rest }: JsonObject): JsonObject {
  return isJsonObject(next) ? next : { ...rest, action: rest.action ?? next };
}

function branchOf(state: TeamState, action: string, { isOwn, toolOf }: MergedChoice): Branch {
  if (!isOwn(roleOfAction(state.profile, action))) return leftToOthers(state, action);
  return isTool(state.profile, action) ? toolBranch(state, toolOf(action)) : writtenBranch(state, action);
}

function branch(
  state: TeamState,
  action: string,
  parts: { readonly members?: Readonly<Record<string, string>>; readonly properties?: JsonObject },
  read: (next: JsonObject, think: string | null) => ReadAnswer<MergedTurn>,
): Branch {
  return {
    form: jsonForm({ action: `"${action}"`, ...parts.members }),
    schema: closedObject({ action: { type: 'string', enum: [action] }, ...parts.properties }),
    read: (next, think) => {
      const answer = read(next, think);
      const error = answer.ok && refusedWords(state, { ...next, think: think ?? undefined }, answer.answer!);
      return error ? { ok: false, error, ...withoutCall(state, action, think) } : answer;
    },
  };
}

/** Removes a tool from the choice after the last request, and continues. */
function withoutCall({ profile }: TeamState, action: string, think: string | null) {
  return isTool(profile, action) ? { otherwise: { value: { action, think, isExhausted: true } } } : {};
}

/** Branch for a role with its own model: chosen here, executed there. */
function leftToOthers(state: TeamState, action: string): Branch {
  return branch(state, action, {}, (_, think) => ({
    ok: true,
    action,
    value: { action, think },
    answer: { ...(think !== null && { think }), next: action },
  }));
}

function toolBranch(state: TeamState, tool: Tool): Branch {
  const definition = offered(tool, state);
  const parts = { members: { input: inputForm(definition) }, properties: { input: definition.parameters } };
  const action = tool.name;
  return branch(state, action, parts, (next, think) => {
    const parsed = tool.parseInput(next.input);
    if (!parsed.ok) return parsed;
    const { input } = parsed;
    const refused = refusedInput(state, action, input);
    if (refused !== undefined) return { ok: false, error: refused, ...withoutCall(state, action, think) };
    const answer = { ...(think !== null && { think }), next: action, input };
    return { ok: true, action, value: { action, think, input }, answer };
  });
}

function writtenBranch(state: TeamState, action: string): Branch {
  const role = roleOfAction(state.profile, action);
  const { members, schema, asked } = actionForm(state, action, false);
  const { properties } = jsonSchemaOf(asked);
  return branch(state, action, { members, properties: properties as JsonObject }, (next, think) => {
    const parsed = schema.safeParse(next);
    if (!parsed.success) return { ok: false, error: z.prettifyError(parsed.error) };
    const answer = { ...(think !== null && { think }), ...parsed.data } as JsonObject;
    return { ok: true, role, action, value: { action, think, answer }, answer };
  });
}
