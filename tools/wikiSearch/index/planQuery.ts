/** A word of a query, as the index knows it. */
export interface QueryWord {
  readonly word: string;
  /** Its stem; several where the index splits it. */
  readonly terms: readonly string[];
  /** Passages that hold it. */
  readonly passages: number;
}

/** How the passages for a query are looked for. */
export type QueryPlan =
  /** All words are few enough: one full-text query scores every passage that holds any of them. */
  | { readonly kind: 'all' }
  /**
   * Passages with any of `rarest` are candidates, which all words score. Where they are few, or there is no such word,
   * so are some with the word `next`.
   */
  | { readonly kind: 'candidates'; readonly rarest: readonly QueryWord[]; readonly next: QueryWord };

/**
 * Most passages, counted once a word, that a query looks at: full-text search takes about 0.4 µs for each, and
 * "the" alone is in nearly all of a corpus.
 */
export const MAX_LOOKED_AT = 50_000;

/** Chooses the words that are looked for, the rarest first, so that at most `maxLookedAt` passages are looked at. */
export function planQuery(words: readonly QueryWord[], maxLookedAt = MAX_LOOKED_AT): QueryPlan {
  const byRarity = words.toSorted((one, other) => one.passages - other.passages);
  let lookedAt = 0;
  const next = byRarity.findIndex(({ passages }) => {
    lookedAt += passages;
    return lookedAt > maxLookedAt;
  });
  if (next < 0) return { kind: 'all' };
  return { kind: 'candidates', rarest: byRarity.slice(0, next), next: byRarity[next]! };
}
