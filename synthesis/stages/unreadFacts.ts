import { type Fact, isVariable } from '../../schemas/taskSynthesis.ts';
import { foldWords } from '../../schemas/words/foldWords.ts';
import type { Candidate } from '../records/candidate.ts';
import { placedFact, type SourceDocument } from '../records/fact.ts';
import { createFactIndex, type FactIndex, type Statement, termKey } from './form/factIndex.ts';
import { askedValues } from './form/solutions.ts';
import { descriptionOf } from './form/subForms.ts';
import { type Corpus, type Examined, examined, firstFinding } from './rules/examined.ts';
import { formRules } from './rules/formRules.ts';

/** Fact about the subject of a document's title that the document may state although it was not extracted. */
export interface UnreadFact {
  readonly relation: string;
  readonly document: SourceDocument;
}

/** Fact with a value; undefined if the document does not contain its words. */
export function readFact({ relation, document }: UnreadFact, value: string): Fact | undefined {
  if (value === '') return undefined;
  const fact = placedFact({ subject: document.title, relation, value, type: 'text', quote: value }, document);
  return fact.span[0] < 0 ? undefined : fact;
}

export function withFacts({ index, documents }: Corpus, facts: readonly Fact[]): Corpus {
  const more = createFactIndex(facts);
  const both: FactIndex = {
    ...index,
    matching: (...asked) => [...index.matching(...asked), ...more.matching(...asked)],
    about: (key) => [...index.about(key), ...more.about(key)],
  };
  return { index: both, documents };
}

/** Rules that an additional fact can violate. */
const uniqueness = formRules.filter(({ name }) => ['links', 'unique', 'gold'].includes(name));

/** Reason for which a candidate has another answer; undefined if it has none. */
export function otherAnswer(candidate: Candidate, corpus: Corpus) {
  return firstFinding(uniqueness, candidate, corpus);
}

/**
 * Facts that were not extracted and would give a candidate another answer, likeliest first. Extraction misses facts, so
 * uniqueness among known ones is not enough. Candidates are things that fit the known clues but lack a value of the
 * next relation, and things whose document contains the words of a clue's value.
 */
export function unreadFacts(candidate: Candidate, corpus: Corpus): UnreadFact[] {
  const missing = missingFacts(examined(candidate, corpus));
  const mentioned = (examined(candidate, corpus).evidence()?.ofTriples ?? [])
    .flatMap((clue) => mentionedFacts(clue, corpus))
    .sort((a, b) => b.shared - a.shared);
  const assuming = () =>
    withFacts(
      corpus,
      mentioned.flatMap((fact) => readFact(fact, fact.value) ?? []),
    );
  const assumed = assuming();
  const matters =
    otherAnswer(candidate, assumed) || missingFacts(examined(candidate, assumed)).length > missing.length;
  return [...missing, ...(matters ? mentioned : [])];
}

/** Missing facts of things that fit the rest of the question. */
function missingFacts({ candidate: { form }, evidence, reading, index, documents }: Examined): UnreadFact[] {
  const clues = evidence()?.ofTriples ?? [];
  return clues.flatMap((clue, at) => {
    const triple = form.triples[at]!;
    const described = isVariable(triple[0]) ? descriptionOf(form, triple[0], triple) : undefined;
    if (!described?.triples.length) return [];
    const lacking = [...askedValues(described, reading)].filter((thing) => !isRead(thing, clue, index));
    const { titled } = indexOf(documents);
    return lacking.flatMap((thing) =>
      (titled.get(thing) ?? []).map((document) => ({ relation: clue.facts[0]!.relation, document })),
    );
  });
}

/** A clue's fact for other things whose documents contain the words of its value. */
function mentionedFacts(clue: Statement, { index, documents }: Corpus) {
  const { relation, value } = clue.facts[0]!;
  return documentsWith(value, documents)
    .map((document) => ({ relation, value, document, thing: termKey(document.title) }))
    .filter(({ thing }) => !isRead(thing, clue, index))
    .map((one) => ({ ...one, shared: sharedRelations(one.thing, clue.subject, index) }));
}

/** True if a clue's relation is known for a thing. */
function isRead(thing: string, { relation, value }: Statement, index: FactIndex): boolean {
  return index.matching(thing, relation, index.isManyValued(relation) ? value : undefined).length > 0;
}

/** Number of relations known of both things, which is high for things of one kind. */
function sharedRelations(one: string, other: string, index: FactIndex): number {
  const relationsOf = (key: string) =>
    new Set(index.about(key).flatMap(({ subject, relation }) => (subject === key ? [relation] : [])));
  const others = relationsOf(other);
  return [...relationsOf(one)].filter((relation) => others.has(relation)).length;
}

type Documents = Corpus['documents'];

interface DocumentIndex {
  readonly titled: ReadonlyMap<string, readonly SourceDocument[]>;
  readonly holding: ReadonlyMap<string, ReadonlySet<SourceDocument>>;
}

const indexes = new WeakMap<Documents, DocumentIndex>();

function indexOf(documents: Documents): DocumentIndex {
  const known = indexes.get(documents);
  if (known) return known;
  const holding = new Map<string, Set<SourceDocument>>();
  for (const document of documents.values())
    for (const word of foldWords(document.text))
      holding.set(word, (holding.get(word) ?? new Set()).add(document));
  const made = { titled: Map.groupBy(documents.values(), ({ title }) => termKey(title)), holding };
  indexes.set(documents, made);
  return made;
}

/** Documents that contain all words of a value. */
function documentsWith(value: string, documents: Documents): SourceDocument[] {
  const { holding } = indexOf(documents);
  const holders = foldWords(value).map((word) => holding.get(word) ?? new Set<SourceDocument>());
  const [fewest = new Set<SourceDocument>(), ...others] = holders.sort((a, b) => a.size - b.size);
  return [...fewest].filter((document) => others.every((other) => other.has(document)));
}
