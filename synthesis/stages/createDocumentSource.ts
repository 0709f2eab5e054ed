import { contentId } from '../../base/ids.ts';
import { type CorpusOutcome, dropRecord, emitRecord, type SourceStage } from '../../contract/stage.ts';
import { documentSchema, hashedText, type SourceDocument } from '../records/fact.ts';

/** Text at an address, or null with the reason. */
export interface FoundDocument extends Pick<SourceDocument, 'address' | 'read_at' | 'asked'> {
  readonly title?: string;
  readonly text: string | null;
  readonly why?: string;
}

/**
 * Creates the stage `documents`: emits each text of a corpus once in order, and skips documents without text.
 *
 * @param limit - Maximum documents; reading stops after the last
 */
export function createDocumentSource(
  read: (signal: AbortSignal) => AsyncIterable<FoundDocument>,
  limit = Number.POSITIVE_INFINITY,
): SourceStage<SourceDocument> {
  return {
    name: 'documents',
    version: 1,
    output: documentSchema,
    async *run({ signal }) {
      const seen = new Map<string, string>();
      let [index, documents] = [0, 0];
      for await (const found of read(signal)) {
        signal.throwIfAborted();
        const read = outcomeOf(found, seen);
        yield { index: index++, ...read };
        if (read.outcome.kind === 'emit' && ++documents === limit) return;
      }
    },
  };
}

/** @param seen - Addresses already read, and addresses of texts by hash */
function outcomeOf(
  { address, title, text, why = 'it holds no text', ...more }: FoundDocument,
  seen: Map<string, string>,
): Omit<CorpusOutcome<SourceDocument>, 'index'> {
  const hashed = hashedText(text?.trim() ?? '');
  const id = contentId('document', { address, sha256: hashed.sha256 });
  const refuse = (why: string) => ({
    recordId: id,
    taskId: id,
    outcome: dropRecord('unread_document', { address, why }),
  });
  if (hashed.text === '') return refuse(why);
  if (seen.has(address)) return refuse('its address was read before');
  if (seen.has(hashed.sha256)) return refuse(`${seen.get(hashed.sha256)} holds the same text`);
  for (const key of [address, hashed.sha256]) seen.set(key, address);
  return {
    recordId: id,
    taskId: id,
    outcome: emitRecord({ id, address, title: title || address, ...hashed, ...more }),
  };
}
