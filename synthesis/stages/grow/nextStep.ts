import { canonicalJson } from '../../../base/ids.ts';
import { hashedShare } from '../../../schemas/hashedShare.ts';
import {
  type ChainStep,
  type Fact,
  type Form,
  type Operation,
  operationNames,
} from '../../../schemas/taskSynthesis.ts';
import { type Candidate, identified, type Round } from '../../records/candidate.ts';
import type { GrowOption } from '../../roles.ts';
import type { SynthesizeConfig } from '../../synthesizeConfig.ts';
import { evidenceOf } from '../form/evidence.ts';
import { askedValues, readingOf } from '../form/solutions.ts';
import { type Corpus, firstFinding } from '../rules/examined.ts';
import { formRules } from '../rules/formRules.ts';
import { proposers } from './proposals.ts';

type GrowConfig = SynthesizeConfig['grow'];
/** Fields of a candidate that do not depend on a fact. */
export type Origin = Pick<Candidate, 'seed' | 'corpus_sha256' | 'task_id' | 'profile' | 'spent'>;

export function atomicCandidate(fact: Fact, origin: Origin): Candidate {
  return identified({
    ...origin,
    version: 1,
    facts: 0,
    form: { triples: [[fact.subject, fact.relation, '?a']], asked: '?a', ask: 'value' },
    hops: 1,
    chain: [{ ...fact, op: 'atomic' }],
    answers: [fact.value],
    checks: [],
    effort: {},
    rounds: [],
  });
}

/** Target number of hops, drawn by seed within the configured range. */
export function aimedHops(
  { seed, id }: Pick<Candidate, 'seed' | 'id'>,
  { hops: { min, max } }: GrowConfig,
): number {
  return min + Math.floor(hashedShare('hops', seed, id) * (max - min + 1));
}

/** Next step of some operation: good options, and rejected attempts. */
export interface NextStep {
  readonly op: Operation;
  readonly options: readonly GrowOption[];
  readonly rejected: readonly Round[];
}

/** Facts of the index already have verified quotes. */
const growRules = formRules.filter(({ name }) => name !== 'quotes');

export const GROW_ATTEMPTS = 4;
/** Maximum steps of a candidate. */
export const MAX_GROW_STEPS = 10;

const MAX_OPTIONS = 3;

/**
 * Proposes the next step of a candidate: tries operations and their forms in an order drawn by seed until one gives
 * options. Undefined if none does. Depends only on the seed, the candidate's id and its number of rounds.
 */
export function nextStep(candidate: Candidate, corpus: Corpus, config: GrowConfig): NextStep | undefined {
  const rejected: Round[] = [];
  for (const op of drawnOperations(candidate, config)) {
    const options: GrowOption[] = [];
    const before = rejected.length;
    for (const form of drawnForms(candidate, op, corpus)) {
      const round = triedRound(candidate, { op, form }, corpus, config);
      if ('option' in round) options.push(round.option);
      else if (round.rejected) rejected.push(round.rejected);
      if (options.length === MAX_OPTIONS || rejected.length - before >= GROW_ATTEMPTS) break;
    }
    if (options.length > 0) return { op, options, rejected };
  }
  return rejected.length > 0 ? { op: rejected[0]!.op, options: [], rejected } : undefined;
}

/** Weighted draws without replacement: the largest u^(1/w) first (Efraimidis and Spirakis 2006). */
function drawnOperations({ seed, id, rounds }: Candidate, { operations }: GrowConfig) {
  const drawn = operationNames
    .filter((op) => op !== 'atomic')
    .filter((op) => operations[op] > 0)
    .map((op) => ({
      op,
      rank: hashedShare('operation', seed, `${id} ${rounds.length} ${op}`) ** (1 / operations[op]),
    }));
  return drawn.sort((a, b) => b.rank - a.rank).map(({ op }) => op);
}

function drawnForms(
  { seed, ...candidate }: Candidate,
  op: Exclude<Operation, 'atomic'>,
  { index }: Corpus,
): Form[] {
  const forms = [...proposers[op]({ seed, ...candidate }, index)];
  const drawn = forms.map((form) => ({
    form,
    rank: hashedShare('form', seed, `${candidate.id} ${canonicalJson(form)}`),
  }));
  return drawn.sort((a, b) => a.rank - b.rank).map(({ form }) => form);
}

/** Form as an option, or the reason for rejecting it; empty if it exceeds the hops or lacks evidence. */
function triedRound(
  candidate: Candidate,
  { op, form }: Pick<Round, 'op' | 'form'>,
  corpus: Corpus,
  { hops }: GrowConfig,
): { readonly option: GrowOption } | { readonly rejected?: Round } {
  const evidence = evidenceOf(form, readingOf(corpus.index, candidate.chain));
  if (!evidence || evidence.documents > hops.max || evidence.documents < candidate.hops) return {};
  const option = { form, facts: evidence.facts };
  const finding = firstFinding(growRules, grown(candidate, op, option, corpus), corpus);
  if (!finding) return { option };
  return { rejected: { op, form, reason: finding.reason, evidence: finding.evidence } };
}

/** Candidate after a step. Drops its wording, which belongs to the old form. */
export function grown(
  candidate: Candidate,
  op: Operation,
  { form, facts }: GrowOption,
  { index }: Corpus,
): Candidate {
  const { question: _, ...rest } = candidate;
  const chain = facts.map((fact): ChainStep => ({ ...fact, op: opOf(fact, candidate.chain) ?? op }));
  const reading = readingOf(index, chain);
  const answers = form.ask === 'count' ? [`${askedValues(form, reading).size}`] : candidate.answers;
  return identified({
    ...rest,
    form,
    chain,
    answers,
    facts: index.size,
    hops: evidenceOf(form, reading)?.documents ?? candidate.hops,
    rounds: [...candidate.rounds, { op, form }],
  });
}

function opOf(fact: Fact, chain: readonly ChainStep[]): Operation | undefined {
  return chain.find(
    (step) => step.quote === fact.quote && step.document === fact.document && step.value === fact.value,
  )?.op;
}
