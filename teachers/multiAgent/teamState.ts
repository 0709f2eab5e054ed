import type { JsonObject } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import type { TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, type TagKind, tagRule } from '../../schemas/coa/profile.ts';
import type { Promises } from '../../schemas/config/resolved/promises.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import type { Role } from '../../schemas/trace.ts';

/** A finished action: its tag, its body in the grammar's form, and the preceding thinking. */
export interface Turn extends TakenAction {
  readonly think: string | null;
  /** Input and observation of a tool; null for other actions. */
  readonly call: { readonly input: JsonObject; readonly observation: string } | null;
}

/** All inputs of a role's prompt. */
export interface TeamState {
  readonly profile: Profile;
  readonly question: string;
  readonly turns: readonly Turn[];
  /** Remaining actions of the budget. */
  readonly stepsLeft: number;
  /** Layout of conversations. Default: `shared`. */
  readonly layout?: TeacherConfig['layout'] | undefined;
  /** Tools offered on this task. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Filter rules that the team follows. */
  readonly promises?: Promises | undefined;
  /** Tools without a new input since the last turn. */
  readonly exhausted?: readonly string[];
  /** Hint of a second try; undefined otherwise. */
  readonly hint?: Hint | undefined;
}

/** Hint that a first try's answer was wrong. */
export interface Hint {
  /** Number of turns of the first try. */
  readonly after: number;
  /** The wrong answer. */
  readonly answer: string;
}

/** A role of the team. */
export type TeamRole = Exclude<Role, 'model'>;

type ActionKind = Exclude<TagKind, 'thinking' | 'observation'>;

const roleOfKind: Readonly<Record<ActionKind, TeamRole>> = {
  plan: 'planner',
  tool: 'tool_agent',
  reflection: 'reflector',
  suggested_answer: 'answerer',
  answer: 'answerer',
  verification: 'verifier',
};

/** Kind of an action in the profile; throws for a tag that no agent takes, which is an error in the profile. */
export function actionKind(profile: Profile, action: string): ActionKind {
  const kind = tagRule(profile, action)?.kind;
  if (!kind || kind === 'thinking' || kind === 'observation') {
    throw new Error(`<${action}> is not an action of profile ${profile.name}`);
  }
  return kind;
}

export function roleOfAction(profile: Profile, action: string): TeamRole {
  return roleOfKind[actionKind(profile, action)];
}

export function isTool(profile: Profile, action: string): boolean {
  return actionKind(profile, action) === 'tool';
}

/** Actions of agents, in the order of the profile's table. */
export function takenActions({ tags }: Profile): string[] {
  return tags.filter(({ kind }) => kind !== 'thinking' && kind !== 'observation').map(({ tag }) => tag);
}

/** Actions of a role; none for the orchestrator. */
export function actionsOfRole(profile: Profile, role: TeamRole): string[] {
  return takenActions(profile).filter((action) => roleOfAction(profile, action) === role);
}
