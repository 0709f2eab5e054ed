import type { JsonObject } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import type { TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, type TagKind, tagRule } from '../../schemas/coa/profile.ts';
import type { Promises } from '../../schemas/config/resolved/promises.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import type { Role } from '../../schemas/trace.ts';

/** One finished action of the team: its tag, its body as the grammar writes it, and the thinking before it. */
export interface Turn extends TakenAction {
  readonly think: string | null;
  /** What a tool was asked and what it showed; null for the other actions. */
  readonly call: { readonly input: JsonObject; readonly observation: string } | null;
}

/** Everything that a role's prompt depends on. */
export interface TeamState {
  readonly profile: Profile;
  readonly question: string;
  readonly turns: readonly Turn[];
  /** Actions that the budget still allows. */
  readonly stepsLeft: number;
  /** How conversations begin. Default: `shared`. */
  readonly layout?: TeacherConfig['layout'] | undefined;
  /** The tools as they are offered on this task. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** What the filters will ask, where the team keeps to it. */
  readonly promises?: Promises | undefined;
  /** Tools that found no new input to be asked with since the last turn. */
  readonly exhausted?: readonly string[];
  /** What a second try is told; undefined for what is none. */
  readonly hint?: Hint | undefined;
}

/** That a first try's answer was wrong. */
export interface Hint {
  /** How many of the turns are the first try's. */
  readonly after: number;
  /** The answer that was wrong. */
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

/** The part that an action plays in the profile; throws for a tag that no agent takes, which is a fault of the profile. */
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

/** The actions that agents take, in the order of the profile's table. */
export function takenActions({ tags }: Profile): string[] {
  return tags.filter(({ kind }) => kind !== 'thinking' && kind !== 'observation').map(({ tag }) => tag);
}

/** The actions that a role takes; none for the orchestrator. */
export function actionsOfRole(profile: Profile, role: TeamRole): string[] {
  return takenActions(profile).filter((action) => roleOfAction(profile, action) === role);
}
