import { askedWords, differ, tellingWords } from '../../schemas/words/distinguishingWords.ts';
import type { FoldedWords } from '../../schemas/words/foldWords.ts';
import { isMisspelling } from '../../schemas/words/spelling.ts';
import { type HashKind, hashOfWords, longQuestion, shortNgram, WordHashes } from './wordHash.ts';

/** A word that counts by its place: a number, or a variable such as `x`. */
const placed = /\p{N}|^.$/u;
/** Fewest telling words of a question of which one may be misspelled. */
const MIN_TELLING_WORDS = 3;
/** Fewest telling words of a question of which one may be another. */
const MIN_WORDS_FOR_CHANGE = 5;

/** What questions have in common that differ in function words alone, or in one word that names nothing. */
export interface FuzzyKey {
  readonly kind: HashKind;
  readonly hash: number;
  /** Made when hashes are equal. */
  words(): readonly string[];
}

function keyOf(kind: HashKind, words: readonly string[]): FuzzyKey {
  return { kind, hash: hashOfWords(words, kind), words: () => words };
}

/**
 * Equal for questions that differ in nothing but function words and the order of the others: the telling words
 * sorted, and numbers and variables in their order, since 7 - 2 is not 2 - 7. Empty where there is no telling word.
 */
function bagOf(telling: readonly string[]): string[] {
  return [...telling.toSorted(), ...telling.filter((word) => placed.test(word))];
}

/**
 * The keys that a benchmark's question is found by; none where it is long or has but one telling word. Its telling words
 * in their order, of a short one in any order too, and what is left without one of them.
 */
export function keysOfBenchmark(form: FoldedWords): FuzzyKey[] {
  const { length } = form.words;
  if (length >= longQuestion) return [];
  const telling = tellingWords(form.words);
  if (telling.length < 2) return [];
  const bag = length < shortNgram ? [keyOf('bag', bagOf(telling))] : [];
  return [...bag, keyOf('telling', telling), ...gapsOf(telling, 'gap')];
}

/**
 * The keys by which a question is looked for.
 *
 * @param isPart of a longer text, in which a few words are not a question
 */
export function keysOfAsked(form: FoldedWords, isPart: boolean): FuzzyKey[] {
  const telling = tellingWords(form.words);
  if (isPart && telling.length < MIN_WORDS_FOR_CHANGE) return [];
  const bag = isPart ? [] : [keyOf('bag', bagOf(telling))];
  // With a word that the benchmark has not, with another one, and without one that it has.
  const changed = [...gapsOf(telling, 'telling'), ...gapsOf(telling, 'gap'), keyOf('gap', telling)];
  return [...bag, keyOf('telling', telling), ...changed];
}

function gapsOf(telling: readonly string[], kind: HashKind): FuzzyKey[] {
  if (telling.length < MIN_TELLING_WORDS) return [];
  const hashes = new WordHashes(telling);
  return telling.map((_, at) => ({
    kind,
    hash: hashes.run(kind, 0, telling.length, at),
    words: () => telling.toSpliced(at, 1),
  }));
}

/** Whether two questions of one key ask the same: all but one of their telling words, and that names nothing. */
export function areOneQuestion(
  asked: FoldedWords,
  benchmark: FoldedWords,
  { kind, words }: FuzzyKey,
): boolean {
  const isWhole = kind === 'telling' && words().length === tellingWords(asked.words).length;
  if (kind === 'bag' || isWhole) return true;
  const first = askedWords(asked);
  const { isOther, onlyFirst, onlySecond, casing } = differ(first, askedWords(benchmark), isMisspelling);
  if (isOther) return false;
  const changed = Math.max(onlyFirst.length, onlySecond.length);
  if (changed === 0) return true;
  // Where nothing shows which words are names, the one that was changed may be one.
  const isClear = casing !== 'none' || onlySecond.length === 0;
  return isClear && changed === 1 && first.telling.length >= MIN_WORDS_FOR_CHANGE;
}
