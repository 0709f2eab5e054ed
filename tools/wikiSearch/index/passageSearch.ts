import type { DatabaseSync } from 'node:sqlite';
import { expressionOf, wordsOf } from '../../matchExpression.ts';
import type { Passage } from '../passage.ts';
import {
  createCandidateScorer,
  planQuery,
  type QueryPlan,
  type QueryWord,
  type ScoredNumber,
} from './createCandidateScorer.ts';
import { createTermReader } from './createTermReader.ts';
import { TITLE_WEIGHT } from './indexLayout.ts';

export interface PassageSearch {
  /** At most `limit` passages, best first. */
  search(query: string, limit: number): ScoredNumber[];
  close(): void;
}

type CandidatePlan = Extract<QueryPlan, { kind: 'candidates' }>;

/** Candidates that are scored by every word of a query. */
const CANDIDATES = 200;
/** Passages beyond the wanted ones that are looked at for equal scores. */
const TIES = 64;

const BEST = `
  SELECT rowid AS number, -bm25(passages, ${TITLE_WEIGHT}, 1) AS score FROM passages WHERE passages MATCH ?
  ORDER BY score DESC, rowid LIMIT ?
`;
const FIRST = 'SELECT rowid AS number FROM passages WHERE passages MATCH ? LIMIT ?';

/**
 * Searches an index by words: BM25 over any of them, a word in the title counting twice; equal scores by id. Where the
 * words of a query are in very many passages, 200 are found by its rarest words and then scored by all of them; where
 * even those are too common, by the order of the corpus.
 * No text makes it throw.
 *
 * @param read the passages of some numbers
 */
export function createPassageSearch(
  database: DatabaseSync,
  size: number,
  read: (numbers: Iterable<number>) => ReadonlyMap<number, Passage>,
): PassageSearch {
  const terms = createTermReader();
  const count = createWordCounter(database);
  const score = createCandidateScorer(database, terms, size, read);
  const bestOf = database.prepare(BEST);
  const firstOf = database.prepare(FIRST);

  /** The words of a query that the corpus has. */
  const knownWords = (query: string): QueryWord[] => {
    const words = wordsOf(query);
    const read = terms.termsOf(words);
    return words.flatMap((word, at) => {
      const own = read[at]!;
      const passages = own.length === 0 ? 0 : count(word, own);
      return passages === 0 ? [] : [{ word, terms: own, passages }];
    });
  };
  const best = (words: readonly QueryWord[], limit: number) =>
    bestOf.all(expression(words, 'OR'), limit) as unknown as ScoredNumber[];
  const first = (words: readonly QueryWord[]) =>
    firstOf.all(expression(words, 'AND'), CANDIDATES) as unknown as { readonly number: number }[];
  const candidates = ({ rarest, next }: CandidatePlan, words: readonly QueryWord[]): number[] => {
    const found = rarest.length === 0 ? [] : best(rarest, CANDIDATES);
    const more = found.length < CANDIDATES ? [...first(words), ...first([next])] : [];
    return [...new Set([...found, ...more].map(({ number }) => number))];
  };

  return {
    search(query, limit) {
      const words = knownWords(query);
      if (words.length === 0) return [];
      const plan = planQuery(words);
      const found = plan.kind === 'all' ? best(words, limit + TIES) : score(words, candidates(plan, words));
      return inOrder(found.slice(0, limit + TIES), limit, read);
    },
    close: () => terms.close(),
  };
}

function expression(words: readonly QueryWord[], join: 'OR' | 'AND'): string {
  return expressionOf(
    words.map(({ word }) => word),
    join,
  );
}

/** The best `limit`, equal scores by id. Ids are read only of those with equals. */
function inOrder(
  found: readonly ScoredNumber[],
  limit: number,
  read: (numbers: Iterable<number>) => ReadonlyMap<number, Passage>,
): ScoredNumber[] {
  const last = found[Math.min(limit, found.length) - 1]?.score;
  const inQuestion = found.filter(({ score }) => last !== undefined && score >= last);
  if (new Set(inQuestion.map(({ score }) => score)).size === inQuestion.length) return inQuestion;
  const passages = read(inQuestion.map(({ number }) => number));
  const idOf = ({ number }: ScoredNumber) => passages.get(number)!.id;
  return inQuestion
    .toSorted(
      (one, other) => other.score - one.score || compare(idOf(one), idOf(other)) || one.number - other.number,
    )
    .slice(0, limit);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Says in how many passages of an index a word is; of a word that the index splits, at least in so many. */
function createWordCounter(database: DatabaseSync): (word: string, terms: readonly string[]) => number {
  const common = database.prepare('SELECT passages FROM common_words WHERE term = ?');
  const holding = database.prepare('SELECT count(*) AS passages FROM passages WHERE passages MATCH ?');
  return (word, terms) => {
    const kept = terms.map((term) => common.get(term) as { passages: number } | undefined);
    const counts = kept.flatMap((row) => (row ? [row.passages] : []));
    if (counts.length === terms.length) return Math.min(...counts);
    return (holding.get(expressionOf([word], 'OR')) as { passages: number }).passages;
  };
}
