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

/** Facts of a corpus, and the documents that state them by address. */
export interface Corpus {
  readonly index: FactIndex;
  readonly documents: ReadonlyMap<string, SourceDocument>;
}

/** Documents of a run with their facts. */
export interface ReadCorpus extends Corpus {
  readonly facts: readonly Fact[];
  /** SHA-256 over the hashes of all documents in order. */
  readonly sha256: string;
}

/** Candidate with cached answers to the questions of its rules. */
export interface Examined extends Corpus {
  readonly candidate: Candidate;
  readonly reading: Reading;
  /** Facts of its chain only. */
  readonly cited: Reading;
  /** Undefined if the facts give no answer. */
  evidence(): Evidence | undefined;
  /** Answer keys with every link at its value: none, one, or two of several. */
  answers(): readonly string[];
}

export interface CandidateRule {
  readonly name: string;
  readonly reason: DropReason;
  /** Evidence of the problem; undefined without one. */
  find(examined: Examined): JsonObject | undefined;
}

export function examined(candidate: Candidate, corpus: Corpus): Examined {
  const { form, chain } = candidate;
  const reading = readingOf(corpus.index, chain);
  const cited = readingOf(createFactIndex(chain), chain);
  // The candidate means the things of its chain if several fit.
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

/** Values of a form's links; empty without evidence. */
function linkValues(form: Form, evidence: Evidence | undefined): Map<string, string> {
  return new Map(
    linksOf(form).flatMap((link) => (evidence ? [[link, evidence.values.get(link)!] as const] : [])),
  );
}

/** First rule that finds a problem, with its evidence; undefined if none does. */
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
 * Reason for which a document does not state a fact; undefined if it does. The quote must be at the given position of
 * the stored text, and contain the value and the subject; the document's title may replace the subject.
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

export function said({ subject, relation, value, document, quote }: Fact): JsonObject {
  return { subject, relation, value, document, quote };
}
