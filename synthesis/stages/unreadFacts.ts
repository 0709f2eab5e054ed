import { type Fact, isVariable } from '../../schemas/taskSynthesis.ts';
import { foldWords } from '../../schemas/words/foldWords.ts';
import type { Candidate } from '../records/candidate.ts';
import { placedFact, type SourceDocument } from '../records/fact.ts';
import { createFactIndex, type FactIndex, type Statement, termKey } from './form/factIndex.ts';
import { askedValues } from './form/solutions.ts';
import { descriptionOf } from './form/subForms.ts';
import { type Corpus, type Examined, examined, firstFinding } from './rules/examined.ts';
import { formRules } from './rules/formRules.ts';

/** A fact about what a document's title names that the document may state although nobody extracted it. */
export interface UnreadFact {
  readonly relation: string;
  readonly document: SourceDocument;
}

/** The fact with a value; undefined where the document does not hold its words. */
export function readFact({ relation, document }: UnreadFact, value: string): Fact | undefined {
  if (value === '') return undefined;
  const fact = placedFact({ subject: document.title, relation, value, type: 'text', quote: value }, document);
  return fact.span[0] < 0 ? undefined : fact;
}

/** A corpus in which some facts more are known. */
export function withFacts({ index, documents }: Corpus, facts: readonly Fact[]): Corpus {
  const more = createFactIndex(facts);
  const both: FactIndex = {
    ...index,
    matching: (...asked) => [...index.matching(...asked), ...more.matching(...asked)],
    about: (key) => [...index.about(key), ...more.about(key)],
  };
  return { index: both, documents };
}

/** Rules that one fact more can make find something. */
const uniqueness = formRules.filter(({ name }) => ['links', 'unique', 'gold'].includes(name));

/** Why a candidate has another answer than its own; undefined where it has not. */
export function otherAnswer(candidate: Candidate, corpus: Corpus) {
  return firstFinding(uniqueness, candidate, corpus);
}

/**
 * Facts that nobody extracted and that would give a candidate another answer, the likeliest first. Extraction misses facts:
 * what is unique among those that are known need not be unique in the documents. They are of things that fit the clues as
 * far as is known, without a value of the next relation; and of things whose document holds the words of a clue's value, as
 * far as these could change the answer.
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

/** Facts that things lack which fit all that the question says of them besides. */
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

/** A clue's fact of other things: those whose documents hold the words of its value. */
function mentionedFacts(clue: Statement, { index, documents }: Corpus) {
  const { relation, value } = clue.facts[0]!;
  return documentsWith(value, documents)
    .map((document) => ({ relation, value, document, thing: termKey(document.title) }))
    .filter(({ thing }) => !isRead(thing, clue, index))
    .map((one) => ({ ...one, shared: sharedRelations(one.thing, clue.subject, index) }));
}

/** Whether it is known what a clue's relation gives for a thing. */
function isRead(thing: string, { relation, value }: Statement, index: FactIndex): boolean {
  return index.matching(thing, relation, index.isManyValued(relation) ? value : undefined).length > 0;
}

/** How many relations are known of both things: many where they are of one kind. */
function sharedRelations(one: string, other: string, index: FactIndex): number {
  const relationsOf = (key: string) =>
    new Set(index.about(key).flatMap(({ subject, relation }) => (subject === key ? [relation] : [])));
  const others = relationsOf(other);
  return [...relationsOf(one)].filter((relation) => others.has(relation)).length;
}

type Documents = Corpus['documents'];

/** Documents by what their titles name, and by the words that stand in them. */
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

/** Documents in which all words of a value stand. */
function documentsWith(value: string, documents: Documents): SourceDocument[] {
  const { holding } = indexOf(documents);
  const holders = foldWords(value).map((word) => holding.get(word) ?? new Set<SourceDocument>());
  const [fewest = new Set<SourceDocument>(), ...others] = holders.sort((a, b) => a.size - b.size);
  return [...fewest].filter((document) => others.every((other) => other.has(document)));
}
