import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Candidate } from '../../schemas/synthesis/candidate.ts';
import type { Fact } from '../../schemas/synthesis/fact.ts';
import type { Corpus } from './corpus.ts';
import { relationKey, termKey } from './form/termKey.ts';

/** The quotes of facts, each below the title of its document. */
export function evidencePassages(facts: readonly Fact[], documents: Corpus['documents']): string[] {
  const passages = facts.map(
    ({ document, quote }) => `# ${documents.get(document)?.title ?? document}\n\n${quote}`,
  );
  return [...new Set(passages)];
}

/** Characters of a document that stands among evidence. */
const MAX_NOISE_CHARS = 600;

/** The beginnings of documents that state nothing of what a candidate rests on, drawn by its id. */
export function noisePassages(
  { id, chain }: Pick<Candidate, 'id' | 'chain'>,
  { documents, index }: Pick<Corpus, 'documents' | 'index'>,
  { count, seed }: { readonly count: number; readonly seed: number },
): string[] {
  const stated = chain.flatMap(({ subject, relation, value }) =>
    index.matching(termKey(subject), relationKey(relation), termKey(value)),
  );
  const own = new Set([...chain, ...stated.flatMap(({ facts }) => facts)].map(({ document }) => document));
  const addresses = [...documents.keys()];
  const drawn = Array.from(
    { length: count },
    (_, at) => addresses[Math.floor(hashedShare(`noise ${at}`, seed, id) * addresses.length)]!,
  );
  const others = [...new Set(drawn)].filter((address) => !own.has(address));
  return others.map((address) => documents.get(address)!.text.slice(0, MAX_NOISE_CHARS));
}
