import { actionOutcome, allowedActions, type TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { ReadAnswer, TakenAnswer } from './askRole.ts';
import { missingInteractions } from './keepPromises.ts';
import type { TeamState, Turn } from './teamState.ts';

/** Possible continuation: done, or a choice that leads to the end within the budget. */
export type NextActions =
  | { readonly kind: 'finished'; readonly answer: string }
  | { readonly kind: 'choose'; readonly allowed: readonly string[]; readonly mustFinish: boolean }
  | { readonly kind: 'out_of_steps' }
  /** Only tools remain, and none has a new input. */
  | { readonly kind: 'exhausted' };

/**
 * Actions allowed by grammar and budget after the turns so far. When the remaining steps are just enough to finish,
 * only actions on a shortest path to the end remain, so that weak models finish too.
 */
export function nextActions(state: TeamState): NextActions {
  const { profile, turns, stepsLeft, exhausted = [] } = state;
  const possible = allowedActions(profile, turns);
  const answer = finalAnswer(profile, turns, possible);
  if (answer !== undefined) return { kind: 'finished', answer };
  const promised = possible.filter((tag) => missingInteractions(state, tag) === 0);
  // If the grammar allows nothing else the filter decides.
  const allowed = (promised.length > 0 ? promised : possible).filter((tag) => !exhausted.includes(tag));
  if (allowed.length === 0) return { kind: 'exhausted' };
  const affordable = allowed.filter((tag) => stepsToEnd(profile, turns, tag) <= stepsLeft);
  if (affordable.length === 0) return { kind: 'out_of_steps' };
  return { kind: 'choose', allowed: affordable, mustFinish: affordable.length < allowed.length };
}

/** Actions that would end the work before the promised interactions, while the remaining steps allow them. */
export function earlyActions(state: TeamState): string[] {
  const { profile, turns, stepsLeft } = state;
  return allowedActions(profile, turns).filter(
    (tag) => missingInteractions(state, tag) > 0 && stepsToEnd(profile, turns, tag) <= stepsLeft,
  );
}

/**
 * Rejects an action that comes too early. A model that insists is accepted, since its answer is well formed: a double
 * check may send it back to work, and otherwise the filter states the drop reason.
 */
export function refusedEarly<T>(state: TeamState, taken: TakenAnswer<T>): ReadAnswer<T> {
  const { promises } = state;
  const missing = missingInteractions(state, taken.action);
  const what = promises?.interactions.count === 'agents' ? 'actions' : 'tool calls';
  const error = `"${taken.action}" comes too early: take at least ${missing} more ${what} first`;
  return { ok: false, error, insisted: taken };
}

/** Final answer: the last `answer`, or the suggested answer confirmed by a high double check. */
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
 * Minimum actions to the end if `tag` is next, itself included: a breadth-first search over the profile's table,
 * assuming that double checks pass. Infinite without a path.
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

/** True if the action can end the work: a double check confirms the suggested answer as final. */
function endsAt(profile: Profile, tag: string): boolean {
  return tagRule(profile, tag)?.kind === 'verification' || (profile.follows[tag] ?? []).length === 0;
}
