import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { DropReason } from '../../schemas/outcome.ts';

/** How one row of the task files ended: kept in the dataset, or dropped or failed for a cause. */
export interface TaskFate {
  readonly question: string;
  readonly profile: string;
  readonly end: 'kept' | 'dropped' | 'failed';
  /** Drop reason or failure cause; null when kept. */
  readonly cause: string | null;
}

/** Questions that were left out before the teacher was asked: nothing was planted in them. */
const neverAsked: readonly string[] = [
  'near_duplicate_question',
  'contaminated',
] satisfies readonly DropReason[];

/** Reasons of a choice among trajectories that no rule found a flaw in: the configuration asked for fewer. */
const leftOut: readonly string[] = [
  'too_easy',
  'length_out_of_range',
  'unwanted_language',
  'duplicate_trajectory',
  'not_best_of_task',
  'over_quota',
  'too_long',
  'nothing_trained',
] satisfies readonly DropReason[];

/**
 * How a task ended, for what was planted in it: `kept`, `dropped: CAUSE` or `failed: CAUSE`. What no rule found a flaw
 * in and the configuration left out counts as kept. Undefined for a task that the teacher was never asked.
 */
export function endOfFate(
  { end, cause, profile }: TaskFate,
  reflection?: FiltersConfig['reflection'],
): string | undefined {
  if (end === 'kept') return end;
  if (end === 'dropped' && cause !== null) {
    if (neverAsked.includes(cause)) return undefined;
    if (leftOut.includes(cause)) return 'kept';
    if (cause === 'no_reflection' && isThinned(profile, reflection)) return 'kept';
  }
  return `${end}: ${cause}`;
}

/** Whether a share of the trajectories without reflection stays, so that none is certain to go. */
function isThinned(profile: string, reflection: FiltersConfig['reflection']): boolean {
  return reflection !== undefined && reflection.rate > 0 && !reflection.drop_for.includes(profile);
}
