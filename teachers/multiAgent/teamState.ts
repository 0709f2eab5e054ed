import type { JsonObject } from '../../base/json.ts';
import type { TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, type TagKind, tagRule } from '../../schemas/coa/profile.ts';
import type { Promises } from '../../schemas/config/resolved/promises.ts';
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

const roleOfKind: Readonly<Record<Exclude<TagKind, 'thinking' | 'observation'>, Role>> = {
  plan: 'planner',
  tool: 'tool_agent',
  reflection: 'reflector',
  suggested_answer: 'answerer',
  answer: 'answerer',
  verification: 'verifier',
};

/** The part that an action plays in the profile; throws for a tag that no agent takes, which is a fault of the profile. */
export function actionKind(profile: Profile, action: string): keyof typeof roleOfKind {
  const kind = tagRule(profile, action)?.kind;
  if (!kind || kind === 'thinking' || kind === 'observation') {
    throw new Error(`<${action}> is not an action of profile ${profile.name}`);
  }
  return kind;
}

export function roleOfAction(profile: Profile, action: string): Role {
  return roleOfKind[actionKind(profile, action)];
}
