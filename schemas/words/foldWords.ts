import { normalForm } from '../normalForm.ts';
import { foldSpelling } from './spelling.ts';

/** A text as words that case, punctuation, compatibility forms and spelling don't change, and where each stands. */
export interface FoldedWords {
  /** The text in NFKC and without invisible format characters; places count in it. */
  readonly text: string;
  readonly words: readonly string[];
  /** Where each word begins. */
  readonly starts: readonly number[];
  /** Where each word ends, exclusive. */
  readonly ends: readonly number[];
}

/** Both ways to leave punctuation out. */
export interface WordForms {
  /** Punctuation parts words: `x^2`, `well-known` are two words. */
  readonly loose: FoldedWords;
  /** Punctuation inside a word is left out: `x2`, `wellknown`. The very same object where nothing differs. */
  readonly tight: FoldedWords;
}

const invisible = /\p{Cf}/gu;
const punctuation = /[^\p{L}\p{N}\p{M}]+/gu;
/** A character of a script without spaces between words, as a pattern: each counts as a word. */
export const spaceless =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]';
const letter = `(?:(?!${spaceless})[\\p{L}\\p{N}\\p{M}])`;
const looseWord = new RegExp(`${spaceless}\\p{M}*|${letter}+`, 'gu');
/** From a letter to the last letter before white space. */
const tightWord = new RegExp(`${spaceless}\\p{M}*|${letter}(?:(?:(?!${spaceless})\\S)*${letter})?`, 'gu');

/**
 * Folds a text into words: NFKC, case and spelling folded, everything but letters, digits and marks left out. Whoever
 * changed the punctuation may have put spaces in its place or nothing, so there are two forms.
 */
export function foldWords(raw: string): WordForms {
  const text = normalForm(raw.toWellFormed().replace(invisible, ''), 'NFKC');
  const loose = wordsOf(text, looseWord);
  const tight = wordsOf(text, tightWord);
  return { loose, tight: isSame(loose, tight) ? loose : tight };
}

function wordsOf(text: string, pattern: RegExp): FoldedWords {
  const words: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: found, index } of text.matchAll(pattern)) {
    words.push(foldSpelling(foldCase(found.replace(punctuation, ''))));
    starts.push(index);
    ends.push(index + found.length);
  }
  return { text, words, starts, ends };
}

/** Twice, for letters that only fold by way of their capital form, such as the two small sigmas. */
function foldCase(word: string): string {
  return normalForm(word.toLowerCase().toUpperCase().toLowerCase(), 'NFKC');
}

function isSame(a: FoldedWords, b: FoldedWords): boolean {
  return a.words.length === b.words.length && a.words.every((word, at) => word === b.words[at]);
}
