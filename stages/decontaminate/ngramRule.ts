import { askedWords, isSign, standInOrder, tellingWords } from '../../schemas/words/distinguishingWords.ts';
import type { FoldedWords } from '../../schemas/words/foldWords.ts';
import { isMisspelling } from '../../schemas/words/spelling.ts';
import { forEachRun, longNgram, longQuestion, mediumQuestion, shortNgram } from './wordHash.ts';

/** Of so many distinguishing words one may be another. */
const NAMES_PER_CHANGE = 10;

/** An n-gram match: the words of the n-gram, and the share of the 8-grams of the question that stands in the other. */
interface NgramMatch {
  readonly n: typeof shortNgram | typeof longNgram;
  readonly share: number;
}

/**
 * Whether a question holds a benchmark's question, or is a piece of it. The one that stands in the other must do so
 * with `minShare` of its 8-grams, formulae not counted. If it has fewer than 52 words, nine tenths of its distinguishing
 * words must be there in order, misspelled or not, for with another name it is another question. A 13-gram in common
 * then suffices; without one it must have fewer than 26 words, of which all but one are there.
 *
 * A piece of a benchmark's question needs a 13-gram in any case: a few words of a long problem are not one.
 */
export function ngramMatch(
  asked: FoldedWords,
  benchmark: FoldedWords,
  shared: SharedNgrams,
  minShare: number,
): NgramMatch | undefined {
  const n = shared.hasLong ? longNgram : shortNgram;
  const held = shareOf(shared.shared, shared.ofSecond);
  if (held >= minShare && standsIn(benchmark, asked, shared.hasLong)) return { n, share: held };
  const piece = shareOf(shared.shared, shared.ofFirst);
  if (shared.hasLong && piece >= minShare && standsIn(asked, benchmark, true)) return { n, share: piece };
  return undefined;
}

function shareOf(shared: number, all: number): number {
  return all === 0 ? 0 : shared / all;
}

function standsIn(inner: FoldedWords, outer: FoldedWords, hasLong: boolean): boolean {
  const { length } = inner.words;
  if (length >= longQuestion) return hasLong;
  if (length >= mediumQuestion && !hasLong) return false;
  const { telling, distinguishing, casing } = askedWords(inner);
  const words = tellingWords(outer.words);
  const names = telling.filter((word) => distinguishing.has(word));
  if (!standInOrder(names, words, Math.floor(names.length / NAMES_PER_CHANGE), isSameWord)) return false;
  // Where nothing shows which words are names, each may be one.
  const others = hasLong ? telling.filter((word) => casing === 'none' && !isSign(word)) : telling;
  return standInOrder(others, words, hasLong || casing !== 'none' ? 1 : 0);
}

function isSameWord(word: string, other: string): boolean {
  return word === other || isMisspelling(word, other);
}

/** What two questions have in common, by their words themselves. */
interface SharedNgrams {
  /** Different 8-grams that both have and that are not formulae. */
  readonly shared: number;
  /** Different 8-grams of the first question that are not formulae. */
  readonly ofFirst: number;
  /** Different 8-grams of the second question that are not formulae. */
  readonly ofSecond: number;
  /** Whether both have a 13-gram with such an 8-gram in it. */
  readonly hasLong: boolean;
  /** A long run of words that both have, from an 8-gram that is not a formula: where in the second, and how many words. */
  readonly run: { readonly start: number; readonly length: number };
}

/** The different 8-grams of a question. */
export interface NgramSet {
  readonly form: FoldedWords;
  /** First place of each, by its hash. */
  readonly places: ReadonlyMap<number, number>;
  /** Those that stand in too many benchmark questions to tell anything. */
  readonly formulae: ReadonlySet<number>;
}

/** Gathers the 8-grams of a question, asking of each whether it is a formula. */
export function ngramSet(form: FoldedWords, isFormula: (hash: number) => boolean): NgramSet {
  const places = new Map<number, number>();
  const formulae = new Set<number>();
  forEachRun(form, 'ngram', shortNgram, (hash, start) => {
    if (places.has(hash)) return;
    places.set(hash, start);
    if (isFormula(hash)) formulae.add(hash);
  });
  return { form, places, formulae };
}

/** Compares two questions word by word, in time linear in their lengths. */
export function sharedNgrams(first: NgramSet, second: NgramSet): SharedNgrams {
  let shared = 0;
  let run = { start: 0, length: 0 };
  /** Runs are not looked for in words of an earlier one: text that repeats would take quadratic time. */
  let seen = 0;
  for (const [hash, place] of first.places) {
    const other = second.places.get(hash);
    if (other === undefined || second.formulae.has(hash)) continue;
    if (!sameWords(first.form, place, second.form, other, shortNgram)) continue;
    shared += 1;
    if (place < seen) continue;
    const found = extend(first.form, place, second.form, other, seen);
    seen = found.end;
    if (found.length > run.length) run = { start: found.start, length: found.length };
  }
  return {
    shared,
    ofFirst: first.places.size - first.formulae.size,
    ofSecond: second.places.size - second.formulae.size,
    hasLong: run.length >= longNgram || (shared > 0 && hasLongNgram(first.form, second)),
    run,
  };
}

/** The run that grows from an n-gram that both have; in the first question it begins at `from` or later. */
function extend(first: FoldedWords, place: number, second: FoldedWords, other: number, from: number) {
  let before = 0;
  while (
    place - before > from &&
    other - before > 0 &&
    first.words[place - before - 1] === second.words[other - before - 1]
  )
    before += 1;
  let end = place + shortNgram;
  const shift = other - place;
  while (end < first.words.length && first.words[end] === second.words[end + shift]) end += 1;
  return { start: other - before, length: end - place + before, end };
}

/** Runs grow from the first place of an n-gram; in text that repeats itself a longer one may begin elsewhere. */
function hasLongNgram(first: FoldedWords, { form: second, formulae }: NgramSet): boolean {
  const places = new Map<number, number>();
  forEachRun(second, 'ngram', longNgram, (hash, start) => void places.set(hash, start));
  if (places.size === 0) return false;
  const telling = tellingPlaces(second, formulae);
  let found = false;
  forEachRun(first, 'ngram', longNgram, (hash, start) => {
    const other = found ? undefined : places.get(hash);
    if (other === undefined || !telling[other]) return;
    found = sameWords(first, start, second, other, longNgram);
  });
  return found;
}

/** Where 13-grams begin that hold an 8-gram that is not a formula. */
function tellingPlaces(form: FoldedWords, formulae: ReadonlySet<number>): Uint8Array {
  const telling = new Uint8Array(form.words.length);
  forEachRun(form, 'ngram', shortNgram, (hash, start) => {
    if (formulae.has(hash)) return;
    telling.fill(1, Math.max(0, start - (longNgram - shortNgram)), start + 1);
  });
  return telling;
}

function sameWords(a: FoldedWords, atA: number, b: FoldedWords, atB: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (a.words[atA + at] !== b.words[atB + at]) return false;
  return true;
}
