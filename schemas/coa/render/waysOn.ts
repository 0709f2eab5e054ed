import type { ActionOutcome } from '../machine.ts';
import type { Profile } from '../profile.ts';

/** What may come after an action. */
export interface WayOn {
  readonly after: string;
  /** Undefined: whatever the action holds; `otherwise`: where no other way of the action speaks. */
  readonly outcome: ActionOutcome | 'otherwise' | undefined;
  /** Empty at the end. */
  readonly allowed: readonly string[];
}

/** The ways on from every action, in the order of the profile's tags. */
export function waysOn({ tags, follows, follows_when }: Profile): WayOn[] {
  const actions = tags.filter(({ kind }) => kind !== 'thinking' && kind !== 'observation');
  return actions.flatMap(({ tag: after, body }): WayOn[] => {
    const cases = follows_when.filter((rule) => rule.after === after);
    // A score is low or high; with both said, nothing is left.
    const isCovered = body === 'score' && new Set(cases.map(({ outcome }) => outcome)).size === 2;
    const outcome = cases.length > 0 ? 'otherwise' : undefined;
    return [...(isCovered ? [] : [{ after, outcome, allowed: follows[after] ?? [] } as const]), ...cases];
  });
}
