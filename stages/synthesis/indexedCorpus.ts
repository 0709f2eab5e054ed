import type { Corpus } from './corpus.ts';
import { createFactIndex } from './form/factIndex.ts';
import type { Corpus as IndexedCorpus } from './rules/examined.ts';

/** A corpus as rules ask it. */
export function indexed({ facts, documents }: Corpus): IndexedCorpus {
  return { index: createFactIndex(facts), documents };
}
