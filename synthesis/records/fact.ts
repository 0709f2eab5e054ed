import { z } from 'zod';
import { contentId, sha256Hex } from '../../base/ids.ts';
import { type Fact, factSchema, type ProposedFact } from '../../schemas/taskSynthesis.ts';

const words = z.string().trim().min(1);

/** A text that facts are read from: a page of a site, a passage, a page of a list. */
export const documentSchema = z.strictObject({
  id: z.string(),
  title: words,
  /** The page's address, or `passage:<id>`. Names the document in facts; no two share one. */
  address: words,
  /** SHA-256 of `text`. */
  sha256: z.string(),
  text: z.string(),
  /** When it was read (UTC, ISO 8601); absent for a file of this machine. */
  read_at: z.iso.datetime().optional(),
  /** The seed tasks that rest on it; absent where it comes from no task. */
  asked: z.array(z.strictObject({ question: words, answers: z.array(words) })).optional(),
});
export type SourceDocument = z.infer<typeof documentSchema>;

/** A document's text with the hash that facts name it by. */
export function hashedText(text: string): Pick<SourceDocument, 'text' | 'sha256'> {
  return { text, sha256: sha256Hex(text) };
}

/** A proposed fact with its place in the document. */
export function placedFact(
  proposed: ProposedFact,
  document: SourceDocument,
  asked: Pick<Fact, 'request_hash' | 'model'> = {},
): Fact {
  const start = document.text.indexOf(proposed.quote);
  const span: Fact['span'] = start < 0 ? [-1, -1] : [start, start + proposed.quote.length];
  return { ...proposed, span, document: document.address, document_sha256: document.sha256, ...asked };
}

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
