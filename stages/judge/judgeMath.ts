import { latexParts } from './latexStructure.ts';
import { normaliseLatex } from './latexText.ts';
import { latexValue } from './latexValue.ts';
import { nearlyEqual } from './nearlyEqual.ts';
import { equalPlainNumbers, parsePlainNumber } from './plainNumber.ts';

/** How two mathematical answers turned out equal, or how they were found different. */
export type MathMethod = 'text' | 'number' | 'parts' | 'value' | 'words';

/** The finding about one pair of answers. */
export interface MathFinding {
  readonly correct: boolean;
  readonly method: MathMethod;
}

/** Longer answers are compared as text alone. */
const mostCharacters = 2_000;

/** Items of lists compared in any order; the work grows with the square. */
const mostUnordered = 100;

/** Levels of lists in lists that are taken apart. */
const mostDepth = 8;

/** Compares two mathematical answers in LaTeX or plain text. `tolerance`: relative difference of equal numbers. */
export function judgeMath(answer: string, gold: string, tolerance: number): MathFinding {
  if (Math.max(answer.length, gold.length) > mostCharacters) {
    return { correct: answer.trim() === gold.trim(), method: 'text' };
  }
  return compare(...withoutNames(normaliseLatex(answer), normaliseLatex(gold)), tolerance, 0);
}

/** `x=5` and `x\in[1,2]` say the same as `5` and `[1,2]` where the other side names nothing. */
function withoutNames(a: string, b: string): [string, string] {
  const name = /^[a-zA-Z](?:_\w)?(?:=|\\in(?![a-zA-Z]) ?)/;
  const names = (text: string) => /=|\\in(?![a-zA-Z])/.test(text);
  return [names(b) ? a : a.replace(name, ''), names(a) ? b : b.replace(name, '')];
}

function compare(a: string, b: string, tolerance: number, depth: number): MathFinding {
  if (a === b) return { correct: true, method: 'text' };
  const [left, right] = [splitUnit(a), splitUnit(b)];
  if (left.unit !== '' || right.unit !== '') return compareAmounts(left, right, tolerance, depth);
  const numbers = [parsePlainNumber(a), parsePlainNumber(b)] as const;
  if (numbers[0] && numbers[1]) {
    return { correct: equalPlainNumbers(numbers[0], numbers[1], tolerance), method: 'number' };
  }
  return compareParts(a, b, tolerance, depth) ?? compareValues(a, b, tolerance) ?? compareWords(a, b);
}

interface Amount {
  readonly body: string;
  readonly unit: string;
}

function splitUnit(text: string): Amount {
  const match = /^(.+)\\text\{([^{}]*)\}(\^\d)?$/s.exec(text);
  if (!match || match[1]!.includes('\\text')) return { body: text, unit: '' };
  return { body: match[1]!, unit: `${match[2]!.toLowerCase().replace(/s$/, '')}${match[3] ?? ''}` };
}

/** Amounts in different units differ; a unit that only one side states is passed over. */
function compareAmounts(a: Amount, b: Amount, tolerance: number, depth: number): MathFinding {
  const differ = a.unit !== b.unit && a.unit !== '' && b.unit !== '';
  return differ ? { correct: false, method: 'words' } : compare(a.body, b.body, tolerance, depth);
}

function compareParts(a: string, b: string, tolerance: number, depth: number): MathFinding | undefined {
  if (depth === mostDepth) return undefined;
  const [left, right] = [latexParts(a), latexParts(b)];
  if (left?.kind === 'group') return compare(left.items[0]!, b, tolerance, depth + 1);
  if (right?.kind === 'group') return compare(a, right.items[0]!, tolerance, depth + 1);
  if (!left && !right) return undefined;
  const sameShape = left?.kind === right?.kind && left?.items.length === right?.items.length;
  if (!left || !right || !sameShape) return { correct: false, method: 'parts' };
  const equal = (x: string, y: string) => compare(x, y, tolerance, depth + 1).correct;
  const correct = left.ordered
    ? left.items.every((item, at) => equal(item, right.items[at]!))
    : equalInAnyOrder(left.items, right.items, equal);
  return { correct, method: 'parts' };
}

function equalInAnyOrder(
  a: readonly string[],
  b: readonly string[],
  equal: (x: string, y: string) => boolean,
): boolean {
  if (a.length > mostUnordered) return false;
  const left = [...b];
  return a.every((item) => {
    const at = left.findIndex((other) => equal(item, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function compareValues(a: string, b: string, tolerance: number): MathFinding | undefined {
  const [left, right] = [latexValue(a), latexValue(b)];
  if (!left || !right) return undefined;
  const correct = left.every((value, at) => {
    const other = right[at]!;
    return nearlyEqual(value.re, other.re, tolerance) && nearlyEqual(value.im, other.im, tolerance);
  });
  return { correct, method: 'value' };
}

/** Words are equal without regard to case and to `\text`; what has no value and is no words is different. */
function compareWords(a: string, b: string): MathFinding {
  const words = (text: string) =>
    text
      .replace(/\\text\{([^{}]*)\}/g, '$1')
      .replace(/^\((\w)\)$/, '$1')
      .toLowerCase()
      .trim();
  return { correct: words(a) === words(b), method: 'words' };
}
