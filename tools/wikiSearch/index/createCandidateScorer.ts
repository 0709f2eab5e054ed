import type { DatabaseSync } from 'node:sqlite';
import { sum } from '../../../base/sum.ts';
import { type Passage, splitContents } from '../passage.ts';
import type { TermPlace, TermReader } from './createTermReader.ts';
import { TITLE_WEIGHT } from './indexLayout.ts';

/** Scores passages by every word of a query, best first, as `bm25()` would: of few passages, their text is read. */
export type CandidateScorer = (words: readonly QueryWord[], numbers: readonly number[]) => ScoredNumber[];

/** Scores candidates by BM25; `size` is that of the corpus. */
export function createCandidateScorer(
  database: DatabaseSync,
  reader: TermReader,
  size: number,
  read: (numbers: Iterable<number>) => ReadonlyMap<number, Passage>,
): CandidateScorer {
  const relativeLength = createLengthReader(database);
  return (words, numbers) => {
    const passages = read(numbers);
    const texts = numbers.map((number) => splitContents(passages.get(number)!.contents));
    const terms = [...new Set(words.flatMap((word) => word.terms))];
    const places = Map.groupBy(reader.placesOf(terms, texts), ({ text }) => text);
    const scored = numbers.map((number, at) => {
      const length = relativeLength(number);
      const own = Map.groupBy(places.get(at) ?? [], ({ term }) => term);
      const score = words.reduce((total, word) => {
        const frequency = frequencyOf(word.terms, own);
        return total + wordScore(wordWeight(size, word.passages), frequency, length);
      }, 0);
      return { number, score };
    });
    return scored.sort((one, other) => other.score - one.score || one.number - other.number);
  };
}

/** How often a passage holds terms one behind the other, places in the title weighted. */
function frequencyOf(
  [first, ...rest]: readonly string[],
  places: ReadonlyMap<string, readonly TermPlace[]>,
): number {
  const isAt = (term: string, column: string, offset: number) =>
    places.get(term)?.some((place) => place.column === column && place.offset === offset) ?? false;
  return (places.get(first!) ?? [])
    .filter(({ column, offset }) => rest.every((term, at) => isAt(term, column, offset + 1 + at)))
    .reduce((frequency, { column }) => frequency + (column === 'title' ? TITLE_WEIGHT : 1), 0);
}

/** Saturation of a term's frequency, and weight of a passage's length; those of SQLite's `bm25()`. */
const K1 = 1.2;
const B = 0.75;
/** SQLite's `bm25()` never lets a word that most passages hold count against one. */
const MIN_WEIGHT = 1e-6;

/** The weight of a word that `holding` of `passages` passages hold: its inverse document frequency. */
export function wordWeight(passages: number, holding: number): number {
  return Math.max(MIN_WEIGHT, Math.log((passages - holding + 0.5) / (holding + 0.5)));
}

/**
 * What a word adds to a passage's score: more where it is rare, frequent in the passage, and the passage is short.
 *
 * @param frequency how often the passage holds it, its places weighted
 * @param relativeLength of the passage, beside the average of the corpus
 */
export function wordScore(weight: number, frequency: number, relativeLength: number): number {
  return (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeLength));
}

/**
 * Reads how long passages are, in terms, beside the average of the index. FTS5 keeps both for its own `bm25()`: the
 * lengths of a row's columns in `%_docsize`, the number of rows and the sum of each column in the row 1 of `%_data`, as
 * SQLite's variable-length integers (sqlite.org/fts5.html, appendix A).
 */
function createLengthReader(database: DatabaseSync): (number: number) => number {
  const totals = database.prepare('SELECT block FROM passages_data WHERE id = 1').get() as
    | { block: Uint8Array }
    | undefined;
  const [rows = 1, ...sums] = readVarints(totals?.block ?? new Uint8Array());
  const average = sum(sums) / rows;
  const sizes = database.prepare('SELECT sz FROM passages_docsize WHERE id = ?');
  return (number) => {
    const row = sizes.get(number) as { sz: Uint8Array } | undefined;
    if (!row) throw new Error(`the index has no length of passage ${number}: it is damaged`);
    return sum(readVarints(row.sz)) / average;
  };
}

/** SQLite's integers of 1 to 9 bytes: 7 bits a byte, the greatest first; here none needs more than 8 bytes. */
function readVarints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    values.push(value);
    value = 0;
  }
  return values;
}

/** A passage by its number with its score: BM25, higher is better. */
export interface ScoredNumber {
  readonly number: number;
  readonly score: number;
}

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
const MAX_LOOKED_AT = 50_000;

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
