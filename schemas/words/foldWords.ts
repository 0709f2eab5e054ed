import { normalForm } from '../normalForm.ts';

export const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const marks = /[\u0300-\u036f]/g;
const isAscii = /^[\0-\x7f]*$/;
/** Letters of scripts without spaces: each counts as a word. */
export const spaceless = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const word = new RegExp(String.raw`${spaceless}\p{M}*|[[\p{L}\p{N}\p{M}]--${spaceless}]+`, 'gv');

/**
 * Words of a text without case, punctuation, compatibility forms, invisible characters and accents of Latin letters.
 */
export function foldWords(raw: string): readonly string[] {
  return Array.from(readableText(raw).matchAll(word), ([found]) => foldWord(found));
}

/** A word of {@link foldWords} with its position in {@link readableText}, in UTF-16 code units. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Text to which the positions of {@link placedWords} refer. */
export function readableText(raw: string): string {
  return normalForm(raw.toWellFormed().replace(invisible, ''), 'NFKC');
}

/** Words of {@link foldWords} with their positions in a text of {@link readableText}. */
export function placedWords(text: string): readonly PlacedWord[] {
  return Array.from(text.matchAll(word), ({ 0: found, index }) => ({
    word: foldWord(found),
    start: index,
    end: index + found.length,
  }));
}

/** Folds case twice: some letters fold only through their capital form, such as the two small sigmas. */
function foldWord(word: string): string {
  if (isAscii.test(word)) return word.toLowerCase();
  const folded = normalForm(word.toLowerCase().toUpperCase().toLowerCase(), 'NFKC');
  return folded.normalize('NFD').replace(marks, '').normalize();
}
