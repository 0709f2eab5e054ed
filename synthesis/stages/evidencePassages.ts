import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Fact } from '../../schemas/taskSynthesis.ts';
import type { Candidate } from '../records/candidate.ts';
import { relationKey, termKey } from './form/termKey.ts';
import type { Corpus } from './rules/examined.ts';

/** The quotes of facts, each below the title of its document. */
export function evidencePassages(facts: readonly Fact[], documents: Corpus['documents']): string[] {
  const passages = facts.map(
    ({ document, quote }) => `# ${documents.get(document)?.title ?? document}\n\n${quote}`,
  );
  return [...new Set(passages)];
}

/** Characters of a document that stands among evidence. */
const MAX_NOISE_CHARS = 600;

/**
 * The beginnings of documents that state nothing of what a candidate rests on, drawn by its id: half of them of those that
 * have facts of the same relations, so that a date among dates can't be guessed.
 */
export function noisePassages(
  { id, chain }: Pick<Candidate, 'id' | 'chain'>,
  { documents, index }: Corpus,
  { count, seed }: { readonly count: number; readonly seed: number },
): string[] {
  const documentsOf = (ends: 'same' | 'any') =>
    chain.flatMap(({ subject, relation, value }) => {
      const [from, to] = ends === 'same' ? [termKey(subject), termKey(value)] : [];
      return index
        .matching(from, relationKey(relation), to)
        .flatMap(({ facts }) => facts.map(({ document }) => document));
    });
  const own = new Set([...chain.map(({ document }) => document), ...documentsOf('same')]);
  const others = [...documents.keys()].filter((address) => !own.has(address));
  const like = [...new Set(documentsOf('any'))].filter((address) => !own.has(address));
  const drawn = Array.from({ length: count }, (_, at) => {
    const pool = at % 2 === 0 && like.length > 0 ? like : others;
    return pool[Math.floor(hashedShare(`noise ${at}`, seed, id) * pool.length)];
  });
  return [...new Set(drawn)].flatMap(
    (address) => documents.get(address ?? '')?.text.slice(0, MAX_NOISE_CHARS) ?? [],
  );
}
