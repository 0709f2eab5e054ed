import type { JsonObject } from '../../../base/json.ts';
import type { ChainStep, Fact } from '../../../schemas/taskSynthesis.ts';
import { depthsOf } from '../form/depths.ts';
import type { Statement } from '../form/factIndex.ts';
import { relationKey, termKey } from '../form/termKey.ts';
import type { Examined } from './examined.ts';
import { said } from './factProblem.ts';

/** Relations that lead from a thing to another name of it. */
const identityRelation =
  /^(?:alias(?:es)?|also (?:called|known as|named)|a\.?k\.?a\.?|same as|synonyms?(?: of)?|(?:other|former|full|short) name|known as|called|named?|abbreviation|acronym)$/;

/** A step from a thing to another name of it, or one for which no other page is opened. */
export function pseudoStep(examined: Examined): JsonObject | undefined {
  const { chain } = examined.candidate;
  const synonym = chain.find(
    ({ subject, relation, value }) =>
      termKey(subject) === termKey(value) || identityRelation.test(relationKey(relation)),
  );
  const found = synonym ?? stepOnOnePage(examined);
  return found && said(found);
}

/** A depth step whose fact the chain cites from the page of the step that goes on from what it finds. */
function stepOnOnePage({ candidate: { form, chain }, evidence }: Examined): ChainStep | undefined {
  const depth = depthsOf(form);
  const steps = form.triples.map((triple, at) => ({
    step: chain.find((fact) => isFactOf(fact, evidence()?.ofTriples[at])),
    ends: [triple[0], triple[2]],
    near: Math.min(...[triple[0], triple[2]].map((term) => depth.get(term) ?? Infinity)),
  }));
  const isPseudo = ({ step, ends, near }: (typeof steps)[number]) =>
    step?.op === 'depth' &&
    steps.some(
      (next) =>
        next.step?.document === step.document &&
        next.near === near - 1 &&
        next.ends.some((term) => ends.includes(term)),
    );
  return steps.find(isPseudo)?.step;
}

function isFactOf(fact: Fact, statement: Statement | undefined): boolean {
  return (
    statement?.subject === termKey(fact.subject) &&
    statement.value === termKey(fact.value) &&
    statement.relation === relationKey(fact.relation)
  );
}
