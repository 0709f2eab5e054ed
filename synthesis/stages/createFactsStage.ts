import { dropRecord, type RecordStage } from '../../contract/stage.ts';
import {
  documentSchema,
  type FactRecord,
  factRecord,
  factRecordSchema,
  placedFact,
  type SourceDocument,
} from '../records/fact.ts';
import type { SynthesisRoles } from '../roles.ts';

interface FactsOptions {
  readonly openRoles: () => Promise<SynthesisRoles>;
  /** Maximum facts requested per document. */
  readonly perDocument: number;
  /** Concurrent documents. */
  readonly concurrency: number;
}

/**
 * Creates the stage `facts`: asks a model for the facts of each document. Passes on all, even those that the document
 * does not state.
 */
export function createFactsStage({
  openRoles,
  perDocument,
  concurrency,
}: FactsOptions): RecordStage<SourceDocument, FactRecord> {
  return {
    name: 'facts',
    version: 1,
    input: documentSchema,
    output: factRecordSchema,
    concurrency,
    async prepare() {
      await openRoles();
    },
    async run(document, context) {
      const { propose } = await openRoles();
      const asked = await propose(document, perDocument, {
        ...context,
        taskId: document.id,
        stage: 'facts',
        ask: 0,
      });
      const { request_hash, model } = asked;
      const records = asked.value
        .slice(0, perDocument)
        .map((fact) => factRecord(document.id, placedFact(fact, document, { request_hash, model })));
      return records.length === 0
        ? dropRecord('no_facts', { address: document.address })
        : { kind: 'emit', records };
    },
  };
}
