import { sha256Hex } from '../../base/ids.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import type { Fact } from '../../schemas/taskSynthesis.ts';
import { documentSchema, factRecordSchema, type SourceDocument } from '../records/fact.ts';
import { createFactIndex } from '../stages/form/factIndex.ts';
import type { ReadCorpus } from '../stages/rules/examined.ts';
import { factProblem } from '../stages/rules/factProblem.ts';

/** The documents of a run, and the facts that they state, once both stages are done. */
export async function readCorpusOf(runFolder: string): Promise<ReadCorpus> {
  const documents = new Map<string, SourceDocument>();
  for await (const { record } of stageRecords(runFolder, 'documents', documentSchema))
    documents.set(record.address, record);
  const facts: Fact[] = [];
  for await (const { record } of stageRecords(runFolder, 'facts', factRecordSchema))
    if (factProblem(record.fact, documents) === undefined) facts.push(record.fact);
  const hashes = [...documents.values()].map(({ sha256 }) => sha256);
  return { documents, facts, index: createFactIndex(facts), sha256: sha256Hex(hashes.join('\n')) };
}
