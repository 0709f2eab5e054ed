import { z } from 'zod';
import { contentId, sha256Hex } from '../../base/ids.ts';
import { type Fact, factSchema, type ProposedFact } from '../../schemas/taskSynthesis.ts';

const words = z.string().trim().min(1);

/** Source text of facts: a page of a site, a passage, a page of a list. */
export const documentSchema = z.strictObject({
  id: z.string(),
  title: words,
  /** The page's address, or `passage:<id>`. Unique; facts refer to the document by it. */
  address: words,
  /** SHA-256 of `text`. */
  sha256: z.string(),
  text: z.string(),
  /** Read time (UTC, ISO 8601); absent for a local file. */
  read_at: z.iso.datetime().optional(),
  /** Seed tasks based on it; absent without such tasks. */
  asked: z.array(z.strictObject({ question: words, answers: z.array(words) })).optional(),
});
export type SourceDocument = z.infer<typeof documentSchema>;

export function hashedText(text: string): Pick<SourceDocument, 'text' | 'sha256'> {
  return { text, sha256: sha256Hex(text) };
}

/** Adds the position in the document to a proposed fact. */
export function placedFact(
  proposed: ProposedFact,
  document: SourceDocument,
  asked: Pick<Fact, 'request_hash' | 'model'> = {},
): Fact {
  const start = document.text.indexOf(proposed.quote);
  const span: Fact['span'] = start < 0 ? [-1, -1] : [start, start + proposed.quote.length];
  return { ...proposed, span, document: document.address, document_sha256: document.sha256, ...asked };
}

/** Output of stage `facts`: a fact named by a model, which its document may or may not state. */
export const factRecordSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  fact: factSchema,
});
export type FactRecord = z.infer<typeof factRecordSchema>;

export function factRecord(documentId: string, fact: Fact): FactRecord {
  const { subject, relation, value, document, quote } = fact;
  const id = contentId('fact', { subject, relation, value, document, quote });
  return { id, task_id: documentId, fact };
}
