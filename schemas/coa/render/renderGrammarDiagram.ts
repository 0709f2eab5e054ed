import type { Profile } from '../profile.ts';
import { waysOn } from './waysOn.ts';

/** What a way on that depends on the action's content is labelled with. */
const labels = { poor: 'Poor', low: 'score 1-2', high: 'score 3-4', otherwise: 'otherwise' } as const;

/**
 * A profile's order as a Mermaid state diagram: one state an action. Ways that depend on what the action holds carry
 * a label; thinking and observations are left out, as they stand before and after actions by rule.
 */
export function renderGrammarDiagram(profile: Profile): string {
  const edges = waysOn(profile).flatMap(({ after, outcome, allowed }) =>
    (allowed.length === 0 ? ['[*]'] : allowed).map(
      (to) => `${after} --> ${to}${outcome === undefined ? '' : ` : ${labels[outcome]}`}`,
    ),
  );
  const lines = [...profile.first.map((to) => `[*] --> ${to}`), ...edges];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n');
}
