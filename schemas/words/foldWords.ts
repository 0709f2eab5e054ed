import { normalForm } from '../normalForm.ts';

export const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const marks = /[\u0300-\u036f]/g;
const isAscii = /^[\0-\x7f]*$/;
/** Letters of scripts without spaces between words: each counts as a word. */
export const spaceless = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const word = new RegExp(String.raw`${spaceless}\p{M}*|[[\p{L}\p{N}\p{M}]--${spaceless}]+`, 'gv');

/** A text's words without case, punctuation, compatibility forms, invisible characters and accents of Latin letters. */
export function foldWords(raw: string): readonly string[] {
  const text = normalForm(raw.toWellFormed().replace(invisible, ''), 'NFKC');
  return Array.from(text.matchAll(word), ([found]) => foldWord(found));
}

/** Case is folded twice, for letters that only fold by way of their capital form, such as the two small sigmas. */
function foldWord(word: string): string {
  if (isAscii.test(word)) return word.toLowerCase();
  const folded = normalForm(word.toLowerCase().toUpperCase().toLowerCase(), 'NFKC');
  return folded.normalize('NFD').replace(marks, '').normalize();
}
