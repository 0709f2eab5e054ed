import type { JsonObject } from '../../../base/json.ts';
import type { Fact } from '../../../schemas/taskSynthesis.ts';
import type { SourceDocument } from '../../records/fact.ts';
import { shownIn } from './shownIn.ts';

/**
 * What keeps a document from stating a fact; undefined where it does. The quote must stand in the stored text where the
 * fact says, and show the value and the subject; a subject that the document is about (its title) need not be
 * repeated.
 */
export function factProblem(fact: Fact, documents: ReadonlyMap<string, SourceDocument>): string | undefined {
  const document = documents.get(fact.document);
  if (!document) return 'no such document was read';
  if (document.sha256 !== fact.document_sha256) return 'the document has another text than the one read';
  if (document.text.slice(...fact.span) !== fact.quote) return 'the quote does not stand in the document';
  if (!shownIn(fact.value, fact.quote)) return 'the quote does not hold the value';
  if (!shownIn(fact.subject, fact.quote) && !shownIn(fact.subject, document.title)) {
    return 'neither the quote nor the title names the subject';
  }
  return undefined;
}

/** A fact as evidence shows it. */
export function said({ subject, relation, value, document, quote }: Fact): JsonObject {
  return { subject, relation, value, document, quote };
}
