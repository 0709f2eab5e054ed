import { parseGrades, parseScore } from './bodies.ts';
import { type Profile, tagRule } from './profile.ts';

/** An action that was taken: its tag and what stands between its brackets. */
export interface TakenAction {
  readonly tag: string;
  readonly body: string;
}

/** How an action's content bears on what may follow: see `follows_when` of a profile. */
export type ActionOutcome = Profile['follows_when'][number]['outcome'];

/** The outcome of an action, or undefined where its content decides nothing. */
export function actionOutcome(profile: Profile, action: TakenAction): ActionOutcome | undefined {
  const rule = tagRule(profile, action.tag)?.body;
  if (rule === 'grades') {
    const grades = Object.values(parseGrades(action.body) ?? {});
    return grades.some((grade) => grade.toLowerCase() === 'poor') ? 'poor' : undefined;
  }
  if (rule === 'score') {
    const score = parseScore(action.body);
    return score === undefined ? undefined : score >= 3 ? 'high' : 'low';
  }
  return undefined;
}

/**
 * The actions that a profile allows after those taken so far, in the order of its table; empty at the end. The
 * teacher picks from this set and the grammar check uses the same, so the teacher can't leave the grammar.
 */
export function allowedActions(profile: Profile, taken: readonly TakenAction[]): readonly string[] {
  const last = taken.at(-1);
  return last === undefined
    ? profile.first
    : allowedAfter(profile, last.tag, actionOutcome(profile, last), new Set(taken.map(({ tag }) => tag)));
}

/**
 * The same for who walks a long trajectory and carries along which tags were used: the time that it takes does not
 * grow with what was taken.
 */
export function allowedAfter(
  profile: Profile,
  last: string,
  outcome: ActionOutcome | undefined,
  used: ReadonlySet<string>,
): readonly string[] {
  const narrowed = profile.follows_when.find((rule) => rule.after === last && rule.outcome === outcome);
  const allowed = narrowed?.allowed ?? profile.follows[last] ?? [];
  return allowed.filter((tag) => !(profile.once.includes(tag) && used.has(tag)));
}

/** True when the trajectory ends after this action. */
export function isFinal(profile: Profile, tag: string): boolean {
  return (profile.follows[tag] ?? []).length === 0;
}
