import type { FoldedWords } from './foldWords.ts';
import { type HashKind, mediumQuestion, shortNgram } from './wordHash.ts';

/** English words that say nothing about what is asked. Words that change a question, such as `who`, are not here. */
const functionWords: ReadonlySet<string> = new Set(
  'a an the of in on at is are was were be been am do does did has have had s please'.split(' '),
);

/** A word that counts by its place: a number, or a variable such as `x`. */
const placed = /\p{N}|^.$/u;
/** How a name, a number or a variable is written. */
const named = /^\p{Lu}|\p{N}|^.$/u;

/** The words that tell what is asked, in order. */
export function tellingWords(words: readonly string[]): string[] {
  return words.filter((word) => !functionWords.has(word));
}

/** The words that are written as names, numbers or variables, in order. */
export function namingWords({ text, words, starts, ends }: FoldedWords): string[] {
  return words.filter((_, at) => named.test(text.slice(starts[at], ends[at])));
}

/**
 * Equal for questions that differ in nothing but function words and the order of the others: the telling words
 * sorted, and numbers and variables in their order, since 7 - 2 is not 2 - 7. Empty where there is no telling word.
 */
function bagOf(words: readonly string[]): string[] {
  const telling = tellingWords(words);
  return [...telling.toSorted(), ...telling.filter((word) => placed.test(word))];
}

/** Whether words stand among others, in the same order. */
export function standInOrder(words: readonly string[], others: readonly string[]): boolean {
  let next = 0;
  for (const other of others) if (other === words[next]) next += 1;
  return next >= words.length;
}

/** What questions have in common that differ in function words alone. */
interface FuzzyKey {
  readonly kind: HashKind;
  readonly words: readonly string[];
  /** Benchmark questions of fewer words go by it. */
  readonly below: number;
}

/** The keys of a question: of a short one its telling words in any order, of a longer one in the same. */
export function fuzzyKeys(words: readonly string[]): readonly FuzzyKey[] {
  return [
    { kind: 'bag', words: bagOf(words), below: shortNgram },
    { kind: 'telling', words: tellingWords(words), below: mediumQuestion },
  ];
}

/** The key that a benchmark question is found by; none where it is long or has but one telling word. */
export function fuzzyKeyOf(words: readonly string[]): FuzzyKey | undefined {
  if (tellingWords(words).length < 2) return undefined;
  return fuzzyKeys(words).find(({ below }) => words.length < below);
}
