/** Most distinct words of a query that are looked up; FTS5 limits the size of an expression. */
const MAX_WORDS = 64;

/**
 * The FTS5 expression that finds passages holding any word of a text, or undefined when it holds none. Words are
 * quoted, so whatever a model writes (`NEAR(`, `-`, `"`, `title:`) is looked up and never obeyed.
 */
export function matchExpression(query: string): string | undefined {
  const words = query.toWellFormed().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const distinct = [...new Set(words.map((word) => word.toLowerCase()))].slice(0, MAX_WORDS);
  return distinct.length === 0 ? undefined : distinct.map((word) => `"${word}"`).join(' OR ');
}
