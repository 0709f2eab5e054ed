import type { DatabaseSync } from 'node:sqlite';
import { expressionOf } from '../../search/matchExpression.ts';

/** Says in how many passages of an index a word is; of a word that the index splits, at least in so many. */
export function createWordCounter(
  database: DatabaseSync,
): (word: string, terms: readonly string[]) => number {
  const common = database.prepare('SELECT passages FROM common_words WHERE term = ?');
  const holding = database.prepare('SELECT count(*) AS passages FROM passages WHERE passages MATCH ?');
  return (word, terms) => {
    const kept = terms.map((term) => common.get(term) as { passages: number } | undefined);
    const counts = kept.flatMap((row) => (row ? [row.passages] : []));
    if (counts.length === terms.length) return Math.min(...counts);
    return (holding.get(expressionOf([word], 'OR')) as { passages: number }).passages;
  };
}
