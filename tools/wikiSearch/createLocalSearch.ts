import type { DenseIndex } from './dense/openDenseIndex.ts';
import type { PassageIndex } from './index/openIndexFile.ts';
import type { ScoredNumber } from './index/scoredNumber.ts';
import type { RetrievedPassage } from './passageRetriever.ts';
import { reciprocalRankFusion } from './reciprocalRankFusion.ts';

/** One search. */
export interface SearchRequest {
  /** What is looked for by its words; absent: not by words. */
  readonly query?: string;
  /** What is looked for by its meaning; absent: not by meaning. With both, the two rankings are fused. */
  readonly vector?: Float32Array;
  readonly limit: number;
}

/** Searches an index on the thread that calls it. */
export interface LocalSearch {
  search(request: SearchRequest): RetrievedPassage[];
  close(): void;
}

/** How far down rankings are fused. */
const FUSED_DEPTH = 50;

/** Joins an index of passages with its dense index; a search by meaning without one throws. */
export function createLocalSearch(index: PassageIndex, dense: DenseIndex | undefined): LocalSearch {
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
