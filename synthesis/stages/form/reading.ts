import type { Fact } from '../../../schemas/taskSynthesis.ts';
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
  /** Values cited of what the index has several values of; nearly always none. */
  const cited = new Map<string, Set<string>>();
  for (const fact of chain) {
    const [subject, relation] = [termKey(fact.subject), relationKey(fact.relation)];
    if (index.isManyValued(relation) || index.matching(subject, relation, undefined).length < 2) continue;
    const place = placeOf(subject, relation);
    cited.set(place, (cited.get(place) ?? new Set()).add(termKey(fact.value)));
  }
  const holds = ({ subject, relation, value }: Statement) =>
    cited.get(placeOf(subject, relation))?.has(value) ?? true;
  return {
    index,
    matching: (subject, relation, value) => {
      const found = index.matching(subject, relation, value);
      return cited.size === 0 ? found : found.filter(holds);
    },
  };
}

function placeOf(subject: string, relation: string): string {
  return `${relation}\n${subject}`;
}
