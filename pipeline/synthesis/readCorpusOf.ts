import { sha256Hex } from '../../base/ids.ts';
import { documentSchema, type Fact, type SourceDocument } from '../../schemas/synthesis/fact.ts';
import { factRecordSchema } from '../../schemas/synthesis/factRecord.ts';
import { createFactIndex } from '../../stages/synthesis/form/factIndex.ts';
import type { ReadCorpus } from '../../stages/synthesis/rules/examined.ts';
import { factProblem } from '../../stages/synthesis/rules/factProblem.ts';
import { stageRecords } from '../run/stageInputs.ts';

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
