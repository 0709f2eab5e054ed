import { actionOutcome, allowedActions, type TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { ReadAnswer, TakenAnswer } from './askRole.ts';
import { missingInteractions } from './keepPromises.ts';
import type { TeamState, Turn } from './teamState.ts';

/** What may come next: nothing more, or a choice that leads to the end within the budget. */
export type NextActions =
  | { readonly kind: 'finished'; readonly answer: string }
  | { readonly kind: 'choose'; readonly allowed: readonly string[]; readonly mustFinish: boolean }
  | { readonly kind: 'out_of_steps' }
  /** Only tools are left, and none of them finds an input that was not used before. */
  | { readonly kind: 'exhausted' };

/**
 * What the grammar and the budget allow after the turns so far. When the steps that are left are just enough to end,
 * only actions on a shortest path to the end remain, so that weak models finish too.
 */
export function nextActions(state: TeamState): NextActions {
  const { profile, turns, stepsLeft, exhausted = [] } = state;
  const possible = allowedActions(profile, turns);
  const answer = finalAnswer(profile, turns, possible);
  if (answer !== undefined) return { kind: 'finished', answer };
  const promised = possible.filter((tag) => missingInteractions(state, tag) === 0);
  // Where the grammar leaves nothing else the filter decides.
  const allowed = (promised.length > 0 ? promised : possible).filter((tag) => !exhausted.includes(tag));
  if (allowed.length === 0) return { kind: 'exhausted' };
  const affordable = allowed.filter((tag) => stepsToEnd(profile, turns, tag) <= stepsLeft);
  if (affordable.length === 0) return { kind: 'out_of_steps' };
  return { kind: 'choose', allowed: affordable, mustFinish: affordable.length < allowed.length };
}

/** Actions that would end the work before the interactions that were promised, while the steps that are left allow them. */
export function earlyActions(state: TeamState): string[] {
  const { profile, turns, stepsLeft } = state;
  return allowedActions(profile, turns).filter(
    (tag) => missingInteractions(state, tag) > 0 && stepsToEnd(profile, turns, tag) <= stepsLeft,
  );
}

/**
 * Has an action that comes too early asked for again. A model that insists has it taken, since its answer is well formed:
 * a double check may send it back to work, and else the filter says why the row is dropped.
 */
export function refusedEarly<T>(state: TeamState, taken: TakenAnswer<T>): ReadAnswer<T> {
  const { promises } = state;
  const missing = missingInteractions(state, taken.action);
  const what = promises?.interactions.count === 'agents' ? 'actions' : 'tool calls';
  const error = `"${taken.action}" comes too early: take at least ${missing} more ${what} first`;
  return { ok: false, error, insisted: taken };
}

/** The answer when the work is done: the last `answer`, or the suggested answer that a high double check confirmed. */
function finalAnswer(
  profile: Profile,
  turns: readonly Turn[],
  allowed: readonly string[],
): string | undefined {
  const last = turns.at(-1);
  if (last && allowed.length === 0) return last.body;
  if (!last || actionOutcome(profile, last) !== 'high') return undefined;
  return turns.findLast((turn) => tagRule(profile, turn.tag)?.kind === 'suggested_answer')?.body;
}

/**
 * Fewest actions to the end when `tag` is taken next, itself included: a breadth-first search over the profile's
 * table, which takes double checks to end well. Infinite when no way leads there.
 */
export function stepsToEnd(profile: Profile, turns: readonly TakenAction[], tag: string): number {
  const spent = new Set(profile.once.filter((once) => turns.some((turn) => turn.tag === once)));
  const seen = new Set<string>();
  let frontier = [tag];
  for (let steps = 1; frontier.length > 0; steps++) {
    if (frontier.some((at) => endsAt(profile, at))) return steps;
    for (const at of frontier) seen.add(at);
    const reached = frontier.flatMap((at) => profile.follows[at] ?? []);
    frontier = [...new Set(reached)].filter((at) => !seen.has(at) && !spent.has(at));
  }
  return Number.POSITIVE_INFINITY;
}

/** A confirmed suggested answer is the final one, so the team's work ends with the double check. */
function endsAt(profile: Profile, tag: string): boolean {
  return tagRule(profile, tag)?.kind === 'verification' || (profile.follows[tag] ?? []).length === 0;
}
