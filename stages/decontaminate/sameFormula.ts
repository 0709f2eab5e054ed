import type { FoldedWords } from '../../schemas/words/foldWords.ts';
import { shortNgram } from './wordHash.ts';

/** Of fewer words, one sign more or less makes another formula; many equal words are no accident. */
const SHORT_FORMULA_WORDS = 2 * shortNgram;
/** Mathematical signs, and `- * / ^ %` that stand between no two letters. */
const operator = /\p{Sm}|(?<!\p{L})[-*/^%]|[-*/^%](?!\p{L})/gu;
const dash = /[\u2010-\u2015\u2212]/gu;
/** Signs that Unicode counts as punctuation, so that whoever strips a text of it strips them too. */
const punctuationSigns = /[-*/%]/g;

/**
 * Whether two texts of the same words are the same formula, for words alone can't tell 2 + 3 from 2 - 3. Of the first
 * text, all signs or those that are punctuation may have been stripped.
 */
export function sameFormula({ words }: FoldedWords, asked: string, benchmark: string): boolean {
  if (words.length >= SHORT_FORMULA_WORDS) return true;
  const signs = operatorsOf(asked);
  const others = operatorsOf(benchmark);
  return signs === '' || signs === others || signs === others.replace(punctuationSigns, '');
}

/** The signs of a formula in order. */
function operatorsOf(text: string): string {
  return (text.replace(dash, '-').match(operator) ?? []).join('');
}
