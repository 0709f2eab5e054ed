import type { JsonObject } from '../../../base/json.ts';
import { once } from '../../../base/once.ts';
import type { DropReason } from '../../../schemas/dropReasons.ts';
import type { Candidate } from '../../../schemas/synthesis/candidate.ts';
import type { SourceDocument } from '../../../schemas/synthesis/fact.ts';
import { linksOf } from '../../../schemas/synthesis/form.ts';
import { answersOf } from '../form/answers.ts';
import { type Evidence, evidenceOf } from '../form/evidence.ts';
import type { FactIndex } from '../form/factIndex.ts';
import { type Reading, readingOf } from '../form/reading.ts';

/** What candidates are judged by: all facts, and the documents that state them by address. */
export interface Corpus {
  readonly index: FactIndex;
  readonly documents: ReadonlyMap<string, SourceDocument>;
}

/** A candidate with what its rules ask about it; each is worked out once. */
export interface Examined extends Corpus {
  readonly candidate: Candidate;
  readonly reading: Reading;
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
  const reading = readingOf(corpus.index, candidate.chain);
  const evidence = once(() => evidenceOf(candidate.form, reading));
  return {
    ...corpus,
    candidate,
    reading,
    evidence,
    answers: once(() => answersOf(candidate.form, reading, linkValues(candidate, evidence()))),
  };
}

/** The values that a candidate's links have in its evidence. */
export function linkValues(
  { form }: Pick<Candidate, 'form'>,
  evidence: Evidence | undefined,
): Map<string, string> {
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
