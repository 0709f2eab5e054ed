/** Maximum distinct words of a query; FTS5 limits the size of an expression. */
const MAX_WORDS = 64;

/** Distinct words of a query in lower case and order, at most 64: only letters and digits. */
export function wordsOf(query: string): string[] {
  const words = query.toWellFormed().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MAX_WORDS);
}

/**
 * FTS5 expression for texts with any word of {@link wordsOf}. Words are quoted, so that model text (`NEAR(`, `-`,
 * `"`, `title:`) is searched and never interpreted.
 */
export function expressionOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' OR ');
}
