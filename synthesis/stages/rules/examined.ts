import type { JsonObject } from '../../../base/json.ts';
import { once } from '../../../base/once.ts';
import type { DropReason } from '../../../schemas/dropReasons.ts';
import { type Fact, type Form, linksOf } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../records/candidate.ts';
import type { SourceDocument } from '../../records/fact.ts';
import { type Evidence, evidenceOf } from '../form/evidence.ts';
import { createFactIndex, type FactIndex } from '../form/factIndex.ts';
import { answersOf, type Reading, readingOf } from '../form/solutions.ts';
import { shownIn } from './shownIn.ts';

/** What candidates are judged by: all facts, and the documents that state them by address. */
export interface Corpus {
  readonly index: FactIndex;
  readonly documents: ReadonlyMap<string, SourceDocument>;
}

/** The documents of a run with the facts that they state. */
export interface ReadCorpus extends Corpus {
  readonly facts: readonly Fact[];
  /** SHA-256 over the hashes of all documents, in their order. */
  readonly sha256: string;
}

/** A candidate with what its rules ask about it; each is worked out once. */
export interface Examined extends Corpus {
  readonly candidate: Candidate;
  readonly reading: Reading;
  /** The facts of its chain alone. */
  readonly cited: Reading;
  /** Undefined where the facts give no answer. */
  evidence(): Evidence | undefined;
  /** Keys of the answers, every link at its value: none, one, or two of several. */
  answers(): readonly string[];
}

/** One check that needs no model. */
export interface CandidateRule {
  readonly name: string;
  readonly reason: DropReason;
  /** What is wrong, as evidence; undefined where nothing is. */
  find(examined: Examined): JsonObject | undefined;
}

export function examined(candidate: Candidate, corpus: Corpus): Examined {
  const { form, chain } = candidate;
  const reading = readingOf(corpus.index, chain);
  const cited = readingOf(createFactIndex(chain), chain);
  // Where several things fit, the candidate means those of its chain.
  const evidence = once(() => {
    const meant = evidenceOf(form, cited);
    const given = form.ask === 'value' ? meant?.values : linkValues(form, meant);
    return evidenceOf(form, reading, given) ?? evidenceOf(form, reading);
  });
  return {
    ...corpus,
    candidate,
    reading,
    cited,
    evidence,
    answers: once(() => answersOf(form, reading, linkValues(form, evidence()))),
  };
}

/** The values that a form's links have; none without evidence. */
function linkValues(form: Form, evidence: Evidence | undefined): Map<string, string> {
  return new Map(
    linksOf(form).flatMap((link) => (evidence ? [[link, evidence.values.get(link)!] as const] : [])),
  );
}

/** The first rule that finds something wrong, with its evidence; undefined where none does. */
export function firstFinding(
  rules: readonly CandidateRule[],
  candidate: Candidate,
  corpus: Corpus,
): { readonly name: string; readonly reason: DropReason; readonly evidence: JsonObject } | undefined {
  const subject = examined(candidate, corpus);
  for (const { name, reason, find } of rules) {
    const evidence = find(subject);
    if (evidence) return { name, reason, evidence };
  }
  return undefined;
}

/**
 * What keeps a document from stating a fact; undefined where it does. The quote must stand in the stored text where the
 * fact says, and show the value and the subject; a subject that the document is about (its title) need not be
 * repeated.
 */
export function factProblem(fact: Fact, documents: ReadonlyMap<string, SourceDocument>): string | undefined {
  const document = documents.get(fact.document);
  if (!document) return 'no such document was read';
  if (document.sha256 !== fact.document_sha256) return 'the document has another text than the one read';
  if (document.text.slice(...fact.span) !== fact.quote) return 'the quote does not stand in the document';
  if (!shownIn(fact.value, fact.quote)) return 'the quote does not hold the value';
  if (!shownIn(fact.subject, fact.quote) && !shownIn(fact.subject, document.title)) {
    return 'neither the quote nor the title names the subject';
  }
  return undefined;
}

/** A fact as evidence shows it. */
export function said({ subject, relation, value, document, quote }: Fact): JsonObject {
  return { subject, relation, value, document, quote };
}
