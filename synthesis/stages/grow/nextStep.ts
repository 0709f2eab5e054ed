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
/** What of a candidate is known before a fact is. */
export type Origin = Pick<Candidate, 'seed' | 'corpus_sha256' | 'task_id' | 'profile' | 'spent'>;

/** The question for a fact's value. */
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

/** Hops that a candidate is grown to, drawn by seed between the configured ones. */
export function aimedHops(
  { seed, id }: Pick<Candidate, 'seed' | 'id'>,
  { hops: { min, max } }: GrowConfig,
): number {
  return min + Math.floor(hashedShare('hops', seed, id) * (max - min + 1));
}

/** A step of some operation: options that are good questions, and what was tried and is not. */
export interface NextStep {
  readonly op: Operation;
  readonly options: readonly GrowOption[];
  readonly rejected: readonly Round[];
}

/** Facts of the index are supported already. */
const growRules = formRules.filter(({ name }) => name !== 'quotes');

/** Steps tried for one that stays, before growing ends. */
export const GROW_ATTEMPTS = 4;
/** Most steps of one candidate. */
export const MAX_GROW_STEPS = 10;

/** Good options that are offered for one step. */
const MAX_OPTIONS = 3;

/**
 * The next step of a candidate: operations and their forms in an order drawn by seed, until one gives options. Undefined
 * where none does. Depends on the seed, the candidate's id and the number of its rounds alone.
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

/** A form as an option, or why it is not one; nothing where it has more hops than wanted, or no evidence. */
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

/** A candidate after a step. Its words, which asked the form before, are gone. */
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
