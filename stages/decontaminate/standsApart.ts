import type { FoldedWords } from '../../schemas/words/foldWords.ts';
import { shortNgram } from './wordHash.ts';

/** Marks that end or begin a sentence; a full stop or colon only before white space or a closing mark. */
const sentenceMark = /[?!;\n\r"“”„«»…—。？！；「」『』]|[.:](?=[\s)\]}'’$*])/u;
const capital = /^\p{Lu}/u;
const endMark = /[.?!。？！]/;
/** Fewest words of a question that is looked for inside longer ones: two words are not a question there. */
const MIN_WORDS_INSIDE = 3;
/** With so many words a search query, which ends without a mark, is recognised wherever it stands. */
const MIN_WORDS_OF_QUERY = 6;

/** Whether a short question may be looked for inside longer ones, where it stands apart or does not. */
export function canStandInside({ words, text, ends }: FoldedWords, apart: boolean): boolean {
  if (apart) return words.length >= MIN_WORDS_INSIDE;
  return words.length >= MIN_WORDS_OF_QUERY && !endMark.test(text.slice(ends.at(-1)));
}

/**
 * Whether a run of words stands apart from the text around it, as a question does in a longer one: `Answer this: who
 * wrote Dune? Be brief.` On either side there is nothing, a mark that parts sentences, or a capital letter that begins
 * one. So `who is the author of Dublin` does not stand in `who is the author of Dublin Murders`.
 */
export function standsApart(form: FoldedWords, start: number, length: number): boolean {
  const end = start + length;
  return apartBefore(form, start) && apartAfter(form, end);
}

function apartBefore(form: FoldedWords, start: number): boolean {
  if (start === 0 || sentenceMark.test(gapBefore(form, start))) return true;
  return capital.test(rawWord(form, start));
}

function apartAfter(form: FoldedWords, end: number): boolean {
  if (end === form.words.length || sentenceMark.test(gapBefore(form, end))) return true;
  return capital.test(rawWord(form, end)) && !capital.test(rawWord(form, end - 1));
}

function gapBefore({ text, starts, ends }: FoldedWords, at: number): string {
  return text.slice(ends[at - 1], starts[at]);
}

function rawWord({ text, starts, ends }: FoldedWords, at: number): string {
  return text.slice(starts[at], ends[at]);
}

/** The sentences of a text that has several, and what introduces them. */
export function* sentencesOf(form: FoldedWords): Generator<FoldedWords> {
  let start = 0;
  for (let at = 1; at <= form.words.length; at++) {
    const isEnd = at === form.words.length;
    if (!isEnd && !sentenceMark.test(gapBefore(form, at))) continue;
    if (!isEnd || start > 0) yield sentence(form, start, at);
    start = at;
  }
}

function sentence({ text, words, starts, ends }: FoldedWords, from: number, to: number): FoldedWords {
  return { text, words: words.slice(from, to), starts: starts.slice(from, to), ends: ends.slice(from, to) };
}

/** Of fewer words, one sign more or less makes another formula; many equal words are not an accident. */
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
