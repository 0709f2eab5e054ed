import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';

const words = z.string().trim().min(1);

/** A text that facts are read from: a page of a site, a passage, a page of a list. */
export const documentSchema = z.strictObject({
  id: z.string(),
  title: words,
  /** Where it was read: a page's address, `passage:<id>` for passages. Names it in facts; no two share one. */
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

/** What a value is: the name of a thing that may have facts of its own, a number, a date, or other words. */
export const valueTypeSchema = z.enum(['entity', 'number', 'date', 'text']);
export type ValueType = z.infer<typeof valueTypeSchema>;

/** What a proposer says of a document: the rest of a fact is worked out. */
export const proposedFactSchema = z.strictObject({
  /** Name of what the fact is about, as the document writes it. */
  subject: words,
  /** Lower-case words for what the value is to the subject, such as `builder` or `year of publication`. */
  relation: words,
  value: words,
  type: valueTypeSchema,
  /** Whether one subject may have several values: then another value is another answer, not a contradiction. */
  many_valued: z.boolean().optional(),
  /** Words of the document, to the letter, that state it. */
  quote: z.string().min(1),
});
export type ProposedFact = z.infer<typeof proposedFactSchema>;

/** One thing that a document states. */
export const factSchema = proposedFactSchema.extend({
  /** Where the quote begins and ends in the document's text, in UTF-16 code units; [-1, -1] where it does not stand there. */
  span: z.tuple([z.int(), z.int()]),
  /** Address of the document. */
  document: words,
  document_sha256: z.string(),
  /** Who proposed it: the request and the model; absent where nobody was asked. */
  request_hash: z.string().optional(),
  model: z.string().optional(),
});
export type Fact = z.infer<typeof factSchema>;

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
