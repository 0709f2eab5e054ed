import { hash32 } from '../../../base/hash32.ts';
import { ratio } from '../../../schemas/answers/ratio.ts';
import { statedAnswer } from '../../../schemas/answers/statedAnswer.ts';
import { equalPlainNumbers, parsePlainNumber } from '../../../schemas/words/plainNumber.ts';
import { equalAnswers } from './equalAnswers.ts';
import { plainWords } from './equalItems.ts';
import type { LetterValues } from './evaluate.ts';
import { normaliseLatex } from './latexText.ts';
import { someNode } from './mathNode.ts';
import { exactValue } from './mathValue.ts';
import { parseMath } from './parseMath.ts';
import { attempt, Undecidable, WorkBudget } from './undecidable.ts';

/** Comparison by which two answers were found equal or different. */
type MathMethod = 'text' | 'number' | 'words' | 'value';

/** Result for one pair of answers. */
type MathFinding =
  | { readonly judgement: 'correct' | 'incorrect'; readonly method: MathMethod; readonly steps: number }
  /** No verdict: one is unreadable, or the comparison is too expensive. */
  | {
      readonly judgement: 'undecided';
      readonly reason: string;
      readonly steps: number;
      /** True if the gold answer compares with itself: the problem is in the answer. */
      readonly isOfAnswer: boolean;
    };

/** Maximum length; longer answers are compared as text only. */
const MAX_CHARS = 2_000;

/**
 * Compares two mathematical answers in LaTeX or plain text, in bounded time. `tolerance`: relative difference of
 * equal numbers if one is a decimal. The roles matter only for bases: only the gold answer may require one.
 */
export function judgeMath(answer: string, gold: string, tolerance: number): MathFinding {
  const [a, b] = [statedAnswer(answer), withoutBrackets(statedAnswer(gold))];
  if (a === b) return found(true, 'text');
  if (a === '' || b === '') return found(false, 'text');
  if (Math.max(a.length, b.length) > MAX_CHARS) return judgeLong(a, b);
  const [left, right] = [normaliseLatex(a), normaliseLatex(b)];
  if (left === right) return found(true, 'text');
  const numbers = [parsePlainNumber(left), parsePlainNumber(right)] as const;
  if (numbers[0] && numbers[1]) return found(equalPlainNumbers(numbers[0], numbers[1], tolerance), 'number');
  return judgeMeaning(left, right, tolerance);
}

/** Normalises ASDiv's noun in brackets: `9 (apples)` becomes `9 apples`. */
function withoutBrackets(gold: string): string {
  return gold.replace(/^([-+]?\d[\d,./]*) \((\p{L}{3,}(?: \p{L}{2,}){0,3})\)$/u, '$1 $2');
}

function found(isCorrect: boolean, method: MathMethod, steps = 0): MathFinding {
  return { judgement: isCorrect ? 'correct' : 'incorrect', method, steps };
}

function undecided(reason: string, steps: number, isOfAnswer: boolean): MathFinding {
  return { judgement: 'undecided', reason, steps, isOfAnswer };
}

/** Compares long answers: integers of any length, otherwise equal text only. */
function judgeLong(a: string, b: string): MathFinding {
  const digits = /^-?[1-9]\d*$/;
  if (digits.test(a) && digits.test(b)) return found(false, 'number');
  const isOfAnswer = b.length <= MAX_CHARS && isComparable(normaliseLatex(b));
  return undecided(`an answer of more than ${MAX_CHARS} characters`, 0, isOfAnswer);
}

function judgeMeaning(a: string, b: string, tolerance: number): MathFinding {
  const work = new WorkBudget();
  const read = attempt(() => [parseMath(a, work), parseMath(b, work)] as const);
  if (read instanceof Undecidable) return judgeUnread(a, b, read.message, work.spent);
  const isBaseAsked = someNode(read[1], ({ kind }) => kind === 'based');
  const points = samplePoints([a, b].sort().join(' '));
  const equal = attempt(() => equalAnswers(...read, { tolerance, work, isBaseAsked, points }));
  if (!(equal instanceof Undecidable)) return found(equal, 'value', work.spent);
  return undecided(equal.message, work.spent, isComparable(b));
}

/** True if a gold answer compares with itself, so that a problem is in the answer. */
function isComparable(gold: string): boolean {
  const work = new WorkBudget();
  const comparison = { tolerance: 0, work, isBaseAsked: false, points: samplePoints(gold) };
  const equal = attempt(() => {
    const node = parseMath(gold, work);
    return equalAnswers(node, node, comparison);
  });
  return isWords(withoutText(gold)) || !(equal instanceof Undecidable);
}

/** Compares plain words; other unreadable answers stay undecided. */
function judgeUnread(a: string, b: string, reason: string, steps: number): MathFinding {
  const [left, right] = [withoutText(a), withoutText(b)];
  if (!isWords(left) || !isWords(right)) return undecided(reason, steps, isComparable(b));
  return found(plainWords(left) === plainWords(right), 'words', steps);
}

function withoutText(latex: string): string {
  return latex.replace(/\\text\{([^{}]*)\}/g, '$1');
}

/** True for letters, spaces and sentence punctuation without any formula. */
function isWords(text: string): boolean {
  return /^[\p{L}\p{M}\s.,;:'’"()-]+$/u.test(text) && /\p{L}{3}/u.test(text);
}

/**
 * Ranges of sample points, by sign (0 for either) and integer part: above 1, within 0 and 1, below -1, between -1 and
 * 0, mixed signs, and far off.
 */
const ranges = [
  ...[
    [1, 1],
    [1, 0],
    [-1, 1],
    [-1, 0],
  ],
  ...[
    [0, 1],
    [0, 2],
    [1, 10_007],
    [-1, 10_007],
  ],
] as const;

/** A prime: no short sum of products of the values cancels. */
const DENOMINATOR = 1_009;

/**
 * Eight rational sample points for letters, a pure function of the seed. The seed comes from the answers, so that
 * expressions can agree at all points by accident only if crafted for that pair.
 */
function samplePoints(seed: string): readonly LetterValues[] {
  return ranges.map(([fixed, whole], at) => (name) => {
    const hash = hash32(`${seed} ${at} ${name}`);
    const sign = fixed || (hash % 2 === 0 ? 1 : -1);
    const over = whole * DENOMINATOR + 1 + ((hash >>> 1) % (DENOMINATOR - 1));
    return exactValue(ratio(BigInt(sign * over), BigInt(DENOMINATOR))!);
  });
}
