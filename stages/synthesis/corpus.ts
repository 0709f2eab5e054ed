import type { Fact } from '../../schemas/synthesis/fact.ts';
import type { Corpus as IndexedCorpus } from './rules/examined.ts';

/** The documents of a run with the facts that they state. */
export interface Corpus extends IndexedCorpus {
  readonly facts: readonly Fact[];
  /** SHA-256 over the hashes of all documents, in their order. */
  readonly sha256: string;
}
