import { type PlacedWord, placedWords, readableText } from '../words/foldWords.ts';
import { plainCharacters } from './statedAnswer.ts';

const articles: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** Joined words for searching values whatever separates the words. */
interface JoinedWords {
  readonly text: string;
  /** Offset in `text` -> index of the word that starts there; the end of `text` counts as the word after the last. */
  readonly wordAt: ReadonlyMap<number, number>;
  readonly words: readonly PlacedWord[];
}

/** A text prepared for searching values. */
export interface ReadText {
  readonly text: string;
  readonly words: readonly PlacedWord[];
  readonly joined: JoinedWords;
  /** Variant without articles. */
  readonly bare: JoinedWords;
}

/** Prepares a text for {@link holdsValue}; the cost is linear in its length. */
export function readText(raw: string): ReadText {
  const text = readableText(plainCharacters(raw));
  const words = placedWords(text);
  const bare = words.filter(({ word }) => !articles.has(word));
  return { text, words, joined: joinWords(words), bare: joinWords(bare) };
}

function joinWords(words: readonly PlacedWord[]): JoinedWords {
  const wordAt = new Map<number, number>();
  let length = 0;
  for (const [at, { word }] of words.entries()) {
    wordAt.set(length, at);
    length += word.length;
  }
  wordAt.set(length, words.length);
  return { text: words.map(({ word }) => word).join(''), wordAt, words };
}

/** Positions at which whole words form `joined`. */
export function* placesOf(joined: string, { text, wordAt, words }: JoinedWords): Generator<PlacedSlice> {
  if (joined === '') return;
  for (let at = text.indexOf(joined); at >= 0; at = text.indexOf(joined, at + 1)) {
    const [first, next] = [wordAt.get(at), wordAt.get(at + joined.length)];
    if (first !== undefined && next !== undefined)
      yield { start: words[first]!.start, end: words[next - 1]!.end };
  }
}

/** A slice of a text, end exclusive. */
export interface PlacedSlice {
  readonly start: number;
  readonly end: number;
}
