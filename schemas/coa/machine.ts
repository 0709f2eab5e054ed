import { parseGrades, parseScore } from './bodies.ts';
import { type Profile, tagRule } from './profile.ts';

/** A taken action: its tag and body. */
export interface TakenAction {
  readonly tag: string;
  readonly body: string;
}

/** Effect of an action's content on the next actions: see `follows_when` of a profile. */
export type ActionOutcome = Profile['follows_when'][number]['outcome'];

/** Outcome of an action, or undefined if its content decides nothing. */
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
 * Actions allowed after those taken so far, in the order of the profile's table; empty at the end. The teacher and
 * the grammar check share this function, so the teacher cannot violate the grammar.
 */
export function allowedActions(profile: Profile, taken: readonly TakenAction[]): readonly string[] {
  const last = taken.at(-1);
  return last === undefined
    ? profile.first
    : allowedAfter(profile, last.tag, actionOutcome(profile, last), new Set(taken.map(({ tag }) => tag)));
}

/** Variant for walking a long trajectory with a set of used tags, in time independent of its length. */
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

/** True if the trajectory ends after this action. */
export function isFinal(profile: Profile, tag: string): boolean {
  return (profile.follows[tag] ?? []).length === 0;
}
