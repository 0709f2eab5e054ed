import { parseGrades, parseScore } from './bodies.ts';
import { type Profile, tagRule } from './profile.ts';

/** An action that was taken: its tag and what stands between its brackets. */
export interface TakenAction {
  readonly tag: string;
  readonly body: string;
}

/** How an action's content bears on what may follow: see `follows_when` of a profile. */
export function actionOutcome(profile: Profile, action: TakenAction): 'poor' | 'low' | 'high' | undefined {
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
  if (last === undefined) return profile.first;
  const outcome = actionOutcome(profile, last);
  const narrowed = profile.follows_when.find((rule) => rule.after === last.tag && rule.outcome === outcome);
  const allowed = narrowed?.allowed ?? profile.follows[last.tag] ?? [];
  return allowed.filter((tag) => !(profile.once.includes(tag) && taken.some((action) => action.tag === tag)));
}

/** True when the trajectory ends after this action. */
export function isFinal(profile: Profile, tag: string): boolean {
  return (profile.follows[tag] ?? []).length === 0;
}
