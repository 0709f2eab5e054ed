import type { JsonObject } from '../../../base/json.ts';
import { once } from '../../../base/once.ts';
import type { DropReason } from '../../../schemas/dropReasons.ts';
import { type Fact, type Form, linksOf } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../records/candidate.ts';
import type { SourceDocument } from '../../records/fact.ts';
import { answersOf } from '../form/answers.ts';
import { type Evidence, evidenceOf } from '../form/evidence.ts';
import { createFactIndex, type FactIndex } from '../form/factIndex.ts';
import { type Reading, readingOf } from '../form/reading.ts';

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
