import { factPattern } from '../prose/factPattern.ts';
import { type Question, withArticle } from '../questions/createQuestions.ts';
import { type Relation, relationOf } from '../questions/relations.ts';
import type { Hop } from '../questions/walk.ts';
import type { Entity } from '../world/entity.ts';
import { comparisonTold, sideValue } from './comparisons.ts';

/** One article to find and read on the way to an answer. `{{name}}` stands for what an earlier one said. */
export interface Lookup {
  /** What the article is about, as it stands in a sentence. */
  readonly subject: string;
  /** The same as words of a query. */
  readonly bare: string;
  readonly relation: Relation;
  /** What is looked for, as a noun phrase. */
  readonly sought: string;
  /** What was found, as a clause. */
  readonly told: string;
  /** What the next step builds on, where that is more. */
  readonly leads: string;
  /** What was found, as a value. */
  readonly value: string;
  readonly extract: Readonly<Record<string, string>>;
}

/** A lookup's words for phrases. */
export function slotsOf({ subject, sought, told, value }: Lookup): Record<string, string> {
  return { subject, sought, told, value };
}

/** The articles that a question leads through, in order: both of a comparison first, then one a hop. */
export function lookupsOf(question: Question): Lookup[] {
  const names = valueNames(question.hops);
  const hops = question.hops.map((hop, at) =>
    hopLookup(hop, at === 0 ? undefined : names[at - 1], names[at]!),
  );
  const { compared } = question;
  if (!compared) return hops;
  const first = hops[0]!;
  const sides = compared.entities.map((entity, at) => {
    const side = lookup(
      entity,
      compared.fact,
      withArticle(entity),
      entity.name,
      sideValue(compared.fact, at),
    );
    const isWinner = entity.slug === question.hops[0]!.entity.slug;
    const leads = at === 0 ? side.told : `${comparisonTold(question)}, and ${first.told}`;
    return { ...side, leads, extract: { ...side.extract, ...(isWinner && first.extract) } };
  });
  return [...sides, ...hops.slice(1)];
}

/** The lookup of a hop whose entity is known by name, as if from memory. */
export function namedLookup(hop: Hop): Lookup {
  return hopLookup(hop, undefined, hop.fact);
}

/** One name a hop: the fact's, numbered where it comes again. */
function valueNames(hops: readonly Hop[]): string[] {
  return hops.map(({ fact }, at) => {
    const earlier = hops.slice(0, at).filter((hop) => hop.fact === fact).length;
    return earlier === 0 ? fact : `${fact}_${earlier + 1}`;
  });
}

function hopLookup({ entity, fact }: Hop, subjectName: string | undefined, valueName: string): Lookup {
  const subject = subjectName === undefined ? withArticle(entity) : `{{${subjectName}}}`;
  const bare = subjectName === undefined ? entity.name : `{{${subjectName}}}`;
  return lookup(entity, fact, subject, bare, valueName);
}

function lookup(entity: Entity, fact: string, subject: string, bare: string, valueName: string): Lookup {
  const relation = relationOf(entity.kind, fact);
  const value = `{{${valueName}}}`;
  const told = relation.told.replace('{s}', subject).replace('{v}', value);
  return {
    subject,
    bare,
    relation,
    value,
    sought: relation.sought.replace('{s}', subject),
    told,
    leads: told,
    extract: { [valueName]: factPattern(entity.kind, fact) },
  };
}
