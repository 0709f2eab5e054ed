import { distance } from 'fastest-levenshtein';

/** Words without a partner that are tried in pairs; texts that differ in more are not nearly equal. */
const MAX_UNPAIRED = 6;
/** Longest word whose edits are counted: the work grows with the square of it. */
const MAX_WORD_CHARS = 64;
/** A word of letters alone: another number, sign or symbol is another question, however like it looks. */
const isLetters = /^[\p{L}\p{M}]+$/u;

/**
 * Whether two texts have the same words but for small edits: each word of one has a partner of its own in the other,
 * and no pair is less alike than `similarity`. The likeness of two words is 1 less their Levenshtein distance as a
 * share of the longer one; words with anything but letters are alike only when equal, and so are words that begin
 * otherwise, for a prefix can turn the meaning round. With 0.9 one letter of a word of ten may differ; with 1 the words
 * are the same.
 *
 * @param a the words of a text, sorted
 * @param b likewise
 */
export function nearWords(a: readonly string[], b: readonly string[], similarity: number): boolean {
  if (a.length !== b.length || a.length === 0) return false;
  const [left, right] = withoutCommon(a, b);
  if (left.length > MAX_UNPAIRED || right.length > MAX_UNPAIRED) return false;
  return pairUp(left, right, similarity);
}

/** What each of two sorted lists has that the other has not; a beginning of it once it is too much. */
function withoutCommon(a: readonly string[], b: readonly string[]): [string[], string[]] {
  const [left, right]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while ((i < a.length || j < b.length) && left.length <= MAX_UNPAIRED && right.length <= MAX_UNPAIRED) {
    const [x, y] = [a[i], b[j]];
    if (x === y) [i, j] = [i + 1, j + 1];
    else if (y === undefined || (x !== undefined && x < y)) [i] = [i + 1, left.push(x!)];
    else [j] = [j + 1, right.push(y)];
  }
  return [left, right];
}

/** Whether every word on the left finds a partner on the right; the lists are short. */
function pairUp(left: readonly string[], right: readonly string[], similarity: number): boolean {
  const [word, ...others] = left;
  if (word === undefined) return true;
  return right.some(
    (partner, at) => isAlike(word, partner, similarity) && pairUp(others, right.toSpliced(at, 1), similarity),
  );
}

function isAlike(a: string, b: string, similarity: number): boolean {
  const longer = Math.max(a.length, b.length);
  if (longer > MAX_WORD_CHARS || a[0] !== b[0] || !isLetters.test(a) || !isLetters.test(b)) return a === b;
  if (1 - Math.abs(a.length - b.length) / longer < similarity) return false;
  return 1 - distance(a, b) / longer >= similarity;
}
