import { z } from 'zod';
import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import {
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type StageOutcome,
} from '../../contract/stage.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { foldedText } from '../../schemas/normalForm.ts';
import { constantsOf, type Operation } from '../../schemas/taskSynthesis.ts';
import { candidateSchema } from '../records/candidate.ts';
import type { SynthesizeConfig } from '../synthesizeConfig.ts';
import { termKey } from './form/factIndex.ts';
import { sameForm } from './form/sameForm.ts';

/** Candidate with a question that passed its checks. */
export const chosenSchema = candidateSchema.extend({ question: z.string().min(1) });
export type ChosenCandidate = z.infer<typeof chosenSchema>;

type ChooseOptions = Pick<SynthesizeConfig, 'choose' | 'target' | 'grow'>;

interface Ranked {
  readonly place: number;
  readonly rank: number;
  readonly hops: string;
  /** Operation of its last step. */
  readonly op: Operation;
  /** Quotas by document and answer that it counts for, with their limits. */
  readonly quotas: readonly Quota[];
}
type Quota = readonly [name: string, most: number];

/**
 * Creates the stage `choose`. Keeps the first of duplicates, and applies the limits per document, answer, number of
 * hops and in total; operations are weighted as far as candidates last. Within an operation, candidates that one search
 * does not reveal come first, then by a hash of seed and id, independent of input order. Reads its input twice: to
 * rank, then to decide.
 */
export function createChooseStage(
  { choose, target, grow }: ChooseOptions,
  seed: number,
): CorpusStage<ChosenCandidate, ChosenCandidate> {
  return {
    name: 'choose',
    version: 3,
    input: chosenSchema,
    output: chosenSchema,
    async *run(candidates) {
      const ranked: Ranked[] = [];
      const twins = new Map<number, string>();
      const forms = new SeenForms();
      let place = 0;
      for await (const candidate of candidates) {
        const { id, chain, answers, hops, rounds, effort } = candidate;
        const first = forms.firstOf(candidate);
        if (first !== undefined) twins.set(place++, first);
        if (first !== undefined) continue;
        const rank = hashedShare('choose', seed, id) + (effort.one_search ? 1 : 0);
        const quotas = quotasOf({ chain, answers }, choose);
        const op = rounds.findLast(({ reason }) => reason === undefined)?.op ?? 'atomic';
        ranked.push({ place: place++, rank, hops: String(hops), op, quotas });
      }
      const full = overQuota(ranked, { choose, target, grow });
      yield* decideEach(candidates, (candidate, place): StageOutcome<ChosenCandidate> => {
        const first = twins.get(place);
        if (first !== undefined)
          return dropRecord('duplicate_question', { question: candidate.question, first });
        const [quota, most] = full.get(place) ?? [];
        return quota === undefined ? emitRecord(candidate) : dropRecord('over_quota', { quota, most: most! });
      });
    },
  };
}

/** Forms by their names, since two differently worded questions may ask the same. */
class SeenForms {
  readonly #byNames = new Map<string, Pick<ChosenCandidate, 'id' | 'form'>[]>();

  /** Id of the first candidate with the same question; undefined for the first itself. */
  firstOf({ id, form, answers: [answer = ''] }: ChosenCandidate): string | undefined {
    const names = [answer, ...constantsOf(form)].map(termKey).sort().join('\n');
    const seen = this.#byNames.get(names) ?? [];
    const first = seen.find((one) => sameForm(one.form, form));
    if (!first) this.#byNames.set(names, [...seen, { id, form }]);
    return first?.id;
  }
}

function quotasOf(
  { chain, answers }: Pick<ChosenCandidate, 'chain' | 'answers'>,
  { per_document, per_entity }: ChooseOptions['choose'],
): Quota[] {
  const documents = per_document === undefined ? [] : new Set(chain.map(({ document }) => document));
  return [
    ...(per_entity === undefined ? [] : [[`per_entity of ${foldedText(answers[0]!)}`, per_entity] as const]),
    ...[...documents].map((document) => [`per_document of ${document}`, per_document!] as const),
  ];
}

/** Candidates beyond a quota, with that quota. */
function overQuota(
  ranked: readonly Ranked[],
  { choose: { by_hops }, target = Number.POSITIVE_INFINITY, grow }: ChooseOptions,
): Map<number, Quota> {
  const full = new Map<number, Quota>();
  const fill = (those: readonly Ranked[], quotasOf: (one: Ranked) => readonly Quota[]) => {
    const taken = new Counts();
    return those.filter((one) => {
      const closed = quotasOf(one).find(([name, most]) => (taken.get(name) ?? 0) >= most);
      if (closed) full.set(one.place, closed);
      else for (const [name] of quotasOf(one)) taken.add(name);
      return !closed;
    });
  };
  const first = ranked.toSorted((a, b) => a.rank - b.rank || a.place - b.place);
  const left = fill(first, ({ quotas }) => quotas);
  const limits = hopLimits(Counts.of(left.map(({ hops }) => hops)), by_hops, target);
  fill(inTurns(left, grow.operations), ({ hops }) => [
    ...(limits ? [[`by_hops of ${hops}`, limits.get(hops) ?? 0] as const] : []),
    ['target', target],
  ]);
  return full;
}

/** Weight of unwanted operations, so that they come last. */
const LEAST_WEIGHT = 1e-6;

/** Interleaves the operations by weight; when one has no more candidates, the others continue. */
function inTurns(ranked: readonly Ranked[], weights: Readonly<Partial<Record<Operation, number>>>): Ranked[] {
  const seen = new Counts<Operation>();
  const turns = ranked.map((one) => {
    seen.add(one.op);
    return { one, turn: seen.get(one.op)! / Math.max(weights[one.op] ?? 1, LEAST_WEIGHT) };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ one }) => one);
}

/** Maximum tasks per number of hops that keep the configured shares; undefined without shares. */
function hopLimits(
  there: Counts,
  shares: ChooseOptions['choose']['by_hops'],
  target: number,
): ReadonlyMap<string, number> | undefined {
  if (!shares) return undefined;
  const wanted = Object.entries(shares).filter(([hops, share]) => share > 0 && there.has(hops));
  // Numbers of hops without candidates give their share to the others.
  const left = sum(Object.values(shares)) / sum(wanted.map(([, share]) => share));
  const all = Math.min(target * left, ...wanted.map(([hops, share]) => (there.get(hops) ?? 0) / share));
  // Compensates rounding: 0.1 of 30 is slightly below 3.
  return new Map(wanted.map(([hops, share]) => [hops, Math.floor(all * share + 1e-9)]));
}
