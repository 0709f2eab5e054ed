import { equalPlainNumbers, parsePlainNumber } from './plainNumber.ts';
import { normaliseAnswer, wordF1 } from './textMatch.ts';

/** How one prediction compares with one gold answer. */
export interface TextMatch {
  /** `number`: both are numbers, compared as such; `exact`: the same text; `f1`: words in common. */
  readonly method: 'number' | 'exact' | 'f1';
  /** Between 0 and 1. */
  readonly score: number;
  readonly gold: string;
}

/** What makes an answer right. */
export interface TextSettings {
  /** Lowest F1 of a right answer. */
  readonly minF1: number;
  /** Relative difference of equal numbers. */
  readonly numberTolerance: number;
}

/** The finding about a whole answer, which may state several joined by `|`. */
export interface TextFinding {
  readonly correct: boolean;
  /** The lowest of its parts' scores. */
  readonly score: number;
  /** One entry a part. */
  readonly matches: readonly (TextMatch & { readonly prediction: string })[];
}

/**
 * Compares an answer with gold answers, any of which is right. Several answers joined by `|` must all be right
 * (AFM's rule); where a gold answer holds `|` itself, it joins nothing.
 */
export function judgeText(answer: string, golds: readonly string[], settings: TextSettings): TextFinding {
  const isJoined = answer.includes('|') && !golds.some((gold) => gold.includes('|'));
  const parts = isJoined ? answer.split('|').map((part) => part.trim()) : [answer];
  return findingOf(parts, golds, settings);
}

function findingOf(parts: readonly string[], golds: readonly string[], settings: TextSettings): TextFinding {
  const matches = parts.map((prediction) => ({ prediction, ...bestMatch(prediction, golds, settings) }));
  const score = Math.min(...matches.map((match) => match.score));
  const correct = matches.every((match) =>
    match.method === 'f1' ? match.score >= settings.minF1 : match.score === 1,
  );
  return { correct, score, matches };
}

function bestMatch(prediction: string, golds: readonly string[], settings: TextSettings): TextMatch {
  const matches = golds.map((gold) => matchText(prediction, gold, settings.numberTolerance));
  return matches.reduce((best, match) => (match.score > best.score ? match : best));
}

/** Compares two texts: as numbers where both are, otherwise by their words. */
export function matchText(prediction: string, gold: string, numberTolerance: number): TextMatch {
  const numbers = [parsePlainNumber(prediction), parsePlainNumber(gold)] as const;
  if (numbers[0] && numbers[1]) {
    return {
      method: 'number',
      score: equalPlainNumbers(numbers[0], numbers[1], numberTolerance) ? 1 : 0,
      gold,
    };
  }
  const left = normaliseAnswer(prediction);
  const right = normaliseAnswer(gold);
  if (left === right) return { method: 'exact', score: 1, gold };
  return { method: 'f1', score: wordF1(left, right), gold };
}
