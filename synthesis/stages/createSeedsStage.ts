import { type CorpusStage, dropRecord, emitRecord, type StageOutcome } from '../../contract/stage.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Fact } from '../../schemas/taskSynthesis.ts';
import { type Candidate, candidateSchema } from '../records/candidate.ts';
import { type FactRecord, factRecordSchema, type SourceDocument } from '../records/fact.ts';
import { relationKey, termKey } from './form/factIndex.ts';
import { atomicCandidate } from './grow/nextStep.ts';
import { factProblem, type ReadCorpus } from './rules/examined.ts';

interface SeedsOptions {
  readonly openCorpus: () => Promise<ReadCorpus>;
  readonly seed: number;
  readonly profile: string;
  /**
   * True to use only questions of seed tasks: facts with the answer of a task based on their document. Default: false.
   */
  readonly fromTasks?: boolean;
  /** Maximum candidates, drawn by seed. Default: all. */
  readonly most?: number | undefined;
}

/**
 * Creates the stage `seeds`: turns each stated fact into a question for its value; a fact stated by several documents
 * is one candidate.
 */
export function createSeedsStage(options: SeedsOptions): CorpusStage<FactRecord, Candidate> {
  return {
    name: 'seeds',
    version: 1,
    input: factRecordSchema,
    output: candidateSchema,
    async *run(records) {
      const corpus = await options.openCorpus();
      const last = await lastRank(records, corpus, options);
      const seen = new Map<string, string>();
      let index = 0;
      for await (const { id, fact } of records) {
        const made = outcomeOf(fact, corpus, options, seen);
        const isOver = made.kind === 'emit' && rankOf(made.records[0]!) > last;
        const outcome = isOver
          ? dropRecord('over_quota', { quota: 'seeds.candidates', most: options.most! })
          : made;
        // Outcomes refer to the candidate or its fact from here on, not to the document.
        const taskId = outcome.kind === 'emit' ? outcome.records[0]!.task_id : id;
        yield { index: index++, recordId: id, taskId, outcome };
      }
    },
  };
}

/** Rank of the last candidate within the limit; reads all facts only if there is a limit. */
async function lastRank(
  records: AsyncIterable<FactRecord>,
  corpus: ReadCorpus,
  options: SeedsOptions,
): Promise<number> {
  if (options.most === undefined) return Number.POSITIVE_INFINITY;
  const seen = new Map<string, string>();
  const ranks: number[] = [];
  for await (const { fact } of records) {
    const made = outcomeOf(fact, corpus, options, seen);
    if (made.kind === 'emit') ranks.push(rankOf(made.records[0]!));
  }
  return ranks.sort((a, b) => a - b)[options.most - 1] ?? Number.POSITIVE_INFINITY;
}

function rankOf({ id, seed }: Candidate): number {
  return hashedShare('candidate', seed, id);
}

function outcomeOf(
  fact: Fact,
  { documents, sha256 }: ReadCorpus,
  { seed, profile, fromTasks }: SeedsOptions,
  seen: Map<string, string>,
): StageOutcome<Candidate> {
  const { subject, relation, value, document, quote } = fact;
  const stated = { subject, relation, value, document };
  const problem = factProblem(fact, documents);
  if (problem !== undefined) return dropRecord('unsupported', { problem, ...stated, quote });
  if (fromTasks && !isAsked(fact, documents.get(document)!)) return dropRecord('not_asked', stated);
  const key = [termKey(subject), relationKey(relation), termKey(value)].join('\n');
  const first = seen.get(key);
  if (first !== undefined) return dropRecord('duplicate_question', { ...stated, first });
  seen.set(key, document);
  const spent = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
  const candidate = atomicCandidate(fact, { seed, corpus_sha256: sha256, task_id: '', profile, spent });
  return emitRecord({ ...candidate, task_id: candidate.id });
}

function isAsked({ value }: Fact, { asked = [] }: SourceDocument): boolean {
  return asked.some(({ answers }) => answers.map(termKey).includes(termKey(value)));
}
