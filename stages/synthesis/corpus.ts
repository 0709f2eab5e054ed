import type { Fact, SourceDocument } from '../../schemas/synthesis/fact.ts';

/** What everything about a candidate is decided over. */
export interface Corpus {
  readonly documents: ReadonlyMap<SourceDocument['address'], SourceDocument>;
  /** Facts that their documents state. */
  readonly facts: readonly Fact[];
  /** SHA-256 over the hashes of all documents, in their order. */
  readonly sha256: string;
}
