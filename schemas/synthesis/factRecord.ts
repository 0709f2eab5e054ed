import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import { type Fact, factSchema } from './fact.ts';

/** What stage `facts` emits: a fact that a model named, whether its document states it or not. */
export const factRecordSchema = z.object({
  id: z.string(),
  /** Id of the document. */
  task_id: z.string(),
  fact: factSchema,
});
export type FactRecord = z.infer<typeof factRecordSchema>;

/** A fact of a document as it passes from stage to stage. */
export function factRecord(documentId: string, fact: Fact): FactRecord {
  const { subject, relation, value, document, quote } = fact;
  const id = contentId('fact', { subject, relation, value, document, quote });
  return { id, task_id: documentId, fact };
}
