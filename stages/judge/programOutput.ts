import { nearlyEqual } from './nearlyEqual.ts';

const decimal = /^[-+]?\d*\.?\d+(?:e[-+]?\d+)?$/i;

/**
 * Compares what a program printed with what was expected, word by word: white space never counts. A word with a
 * decimal point may differ by `tolerance`, relative.
 */
export function sameOutput(printed: string, expected: string, tolerance: number): boolean {
  const words = wordsOf(printed);
  const wanted = wordsOf(expected);
  return words.length === wanted.length && words.every((word, at) => sameWord(word, wanted[at]!, tolerance));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function sameWord(word: string, wanted: string, tolerance: number): boolean {
  if (word === wanted) return true;
  if (!wanted.includes('.') || !decimal.test(word) || !decimal.test(wanted)) return false;
  return nearlyEqual(Number(word), Number(wanted), tolerance);
}
