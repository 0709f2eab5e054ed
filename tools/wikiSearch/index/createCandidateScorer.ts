import type { DatabaseSync } from 'node:sqlite';
import { type Passage, splitContents } from '../passage.ts';
import { wordScore, wordWeight } from './bm25.ts';
import { createLengthReader } from './createLengthReader.ts';
import type { TermPlace, TermReader } from './createTermReader.ts';
import { TITLE_WEIGHT } from './indexLayout.ts';
import type { QueryWord } from './planQuery.ts';
import type { ScoredNumber } from './scoredNumber.ts';

/** Scores passages by every word of a query, best first, as `bm25()` would: of few passages, their text is read. */
export type CandidateScorer = (words: readonly QueryWord[], numbers: readonly number[]) => ScoredNumber[];

/** See {@link CandidateScorer}. `size` is that of the corpus. */
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
