/** Most distinct words of a query that are looked up; FTS5 limits the size of an expression. */
const MAX_WORDS = 64;

/** The distinct words of a query in lower case, in its order, at most 64: letters and digits, and nothing else. */
export function wordsOf(query: string): string[] {
  const words = query.toWellFormed().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MAX_WORDS);
}

/**
 * The FTS5 expression that finds texts holding any word of {@link wordsOf}. Words are quoted, so whatever a model writes
 * (`NEAR(`, `-`, `"`, `title:`) is looked up and never obeyed.
 */
export function expressionOf(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' OR ');
}
