import { openDenseIndex, type VectorSearch } from './dense/openDenseIndex.ts';
import { openFaissIndex } from './dense/openFaissIndex.ts';
import { openIndexFile, type PassageIndex, type ScoredNumber } from './openPassageIndex.ts';
import type { RetrievedPassage } from './passage.ts';

export interface SearchRequest {
  /** Query for keyword search; absent: none. */
  readonly query?: string | undefined;
  /** Query for semantic search; absent: none. With both, the rankings are fused. */
  readonly vector?: Float32Array | undefined;
  readonly limit: number;
}

/** Searches an index on the calling thread. */
export interface LocalSearch {
  search(request: SearchRequest): RetrievedPassage[];
  close(): void;
}

/** Depth of fused rankings. */
const FUSED_DEPTH = 50;

/** Combines a passage index with embeddings; a semantic search without them throws. */
function createLocalSearch(index: PassageIndex, dense: VectorSearch | undefined): LocalSearch {
  const byMeaning = (vector: Float32Array, limit: number): ScoredNumber[] => {
    if (!dense) throw new Error('the passages have no dense index');
    return dense.search(vector, limit);
  };
  const find = ({ query, vector, limit }: SearchRequest): ScoredNumber[] => {
    if (vector === undefined) return index.search(query ?? '', limit);
    if (query === undefined) return byMeaning(vector, limit);
    const depth = Math.max(FUSED_DEPTH, limit);
    const rankings = [index.search(query, depth), byMeaning(vector, depth)];
    return reciprocalRankFusion(rankings.map((found) => found.map(({ number }) => number))).slice(0, limit);
  };
  return {
    search(request) {
      const found = find(request);
      const passages = index.read(found.map(({ number }) => number));
      return found.map(({ number, score }) => ({ ...passages.get(number)!, score }));
    },
    close() {
      dense?.close();
      index.close();
    },
  };
}

/** Dampens the first ranks; 60 as in Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (SIGIR 2009). */
const K = 60;

/**
 * Fuses rankings of passage numbers, best first: a passage scores `1 / (60 + rank)` in each ranking, ranks from 1.
 * Ties by number; the order of rankings does not matter.
 */
export function reciprocalRankFusion(
  rankings: readonly (readonly number[])[],
): { readonly number: number; readonly score: number }[] {
  const ranks = new Map<number, number[]>();
  for (const ranking of rankings) {
    for (const [at, number] of ranking.entries()) {
      const known = ranks.get(number);
      if (known) known.push(at + 1);
      else ranks.set(number, [at + 1]);
    }
  }
  return [...ranks]
    .map(([number, own]) => ({ number, score: scoreOf(own) }))
    .sort((one, other) => other.score - one.score || one.number - other.number);
}

/** Sums from the best rank on, since floating-point sums depend on the order. */
function scoreOf(ranks: readonly number[]): number {
  return ranks.toSorted((one, other) => one - other).reduce((score, rank) => score + 1 / (K + rank), 0);
}

export interface IndexFiles {
  readonly index: string;
  /** Embeddings; absent: no semantic search. */
  readonly vectors?: { readonly format: 'dense' | 'faiss'; readonly file: string };
}

/** Opens an index by its files. Throws `UserError` if one is missing or damaged. */
export function openLocalSearch({ index: indexFile, vectors }: IndexFiles): LocalSearch {
  const index = openIndexFile(indexFile);
  try {
    return createLocalSearch(index, vectors && openVectors(vectors, index.meta.passages));
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Work of each search thread. Missing files may be back at the next search. */
export function openSearch(files: IndexFiles): LocalSearch['search'] {
  let local: LocalSearch | undefined;
  return (request) => {
    local ??= openLocalSearch(files);
    return local.search(request);
  };
}

function openVectors({ format, file }: NonNullable<IndexFiles['vectors']>, passages: number): VectorSearch {
  return format === 'faiss' ? openFaissIndex(file, passages) : openDenseIndex(file);
}
