import type { Fact } from '../../../schemas/synthesis/fact.ts';
import type { FactIndex, Statement } from './factIndex.ts';
import { relationKey, termKey } from './termKey.ts';

/**
 * The facts as a chain cites them. Where a relation has one value and documents state several, the cited one holds: who
 * contradicts it is for the rule `contradicted` to find, and for no other.
 */
export interface Reading {
  readonly index: FactIndex;
  matching(subject: string | undefined, relation: string, value: string | undefined): readonly Statement[];
}

export function readingOf(index: FactIndex, chain: readonly Fact[]): Reading {
  const cited = new Map<string, Set<string>>();
  for (const { subject, relation, value } of chain) {
    const place = placeOf(termKey(subject), relationKey(relation));
    cited.set(place, (cited.get(place) ?? new Set()).add(termKey(value)));
  }
  const holds = ({ subject, relation, value }: Statement) =>
    index.isManyValued(relation) || (cited.get(placeOf(subject, relation))?.has(value) ?? true);
  const isContested = (statements: readonly Statement[]) => !statements.every(holds);
  return {
    index,
    matching: (subject, relation, value) => {
      const found = index.matching(subject, relation, value);
      return isContested(found) ? found.filter(holds) : found;
    },
  };
}

function placeOf(subject: string, relation: string): string {
  return `${relation}\n${subject}`;
}
