import { ratio } from '../../../schemas/answers/ratio.ts';
import { nearlyEqual } from '../../../schemas/words/plainNumber.ts';
import { evaluate, type LetterValues } from './evaluate.ts';
import { lettersOf, type MathNode, someNode } from './mathNode.ts';
import {
  add,
  divide,
  exactValue,
  isZero,
  type MathValue,
  multiply,
  negate,
  power,
  sizeOf,
  wholeValue,
} from './mathValue.ts';
import { attempt, NoValue, Undecidable, type WorkBudget } from './undecidable.ts';

/** Settings of one comparison. */
export interface Comparison {
  /** Relative tolerance for equal numbers if one is a decimal. */
  readonly tolerance: number;
  readonly work: WorkBudget;
  /** True if the gold answer names the base of a number, which the other may omit. */
  readonly isBaseAsked: boolean;
  /** Sample values of letters. */
  readonly points: readonly LetterValues[];
}

/** Minimum points with values on both sides before expressions are called equal. */
const MIN_POINTS = 2;

/** Maximum error; less precise values decide nothing. */
const MAX_ERROR = 1e-9;

/**
 * True if two expressions have equal values for all letters, as long as both are real or one contains imaginary
 * numbers.
 */
export function equalExpressions(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  const equal = valuesEqual([a, b], comparison.tolerance);
  const letters = new Set([...lettersOf(a), ...lettersOf(b)]);
  if (letters.size === 0) return equalConstants(a, b, comparison, equal);
  const isReal = ![a, b].some((node) => someNode(node, isImaginaryUnit));
  return atPoints(comparison, (point) => {
    const [x, y] = [evaluate(a, point, comparison.work), evaluate(b, point, comparison.work)];
    if (isReal && !(hasRealValue(x) && hasRealValue(y))) throw new NoValue('no real value');
    return equal(x, y);
  });
}

function isImaginaryUnit(node: MathNode): boolean {
  return node.kind === 'constant' && node.name === 'i';
}

function hasRealValue({ im, error }: MathValue): boolean {
  return Math.abs(im) <= error;
}

/**
 * True if one expression is a non-zero multiple of the other, as the differences of sides of equal equations are;
 * `positive`: a multiple above 0, for inequalities.
 */
export function proportional(
  a: MathNode,
  b: MathNode,
  comparison: Comparison,
  { positive }: { readonly positive: boolean },
): boolean {
  const equal = valuesEqual([a, b], comparison.tolerance);
  let first: MathValue | undefined;
  return atPoints(comparison, (point) => {
    const [x, y] = [evaluate(a, point, comparison.work), evaluate(b, point, comparison.work)];
    if (isZero(x) || isZero(y)) return isZero(x) && isZero(y);
    const factor = divide(x, y);
    first ??= factor;
    if (positive && factor.re <= 0) return false;
    return equal(factor, first);
  });
}

/**
 * Compares the solutions of two equations (each an expression that is 0) for a letter, given the others. `unknown` if
 * one is neither linear nor quadratic in it, unless the other's solutions do not fit.
 */
export function compareSolutions(
  a: MathNode,
  b: MathNode,
  letter: string,
  comparison: Comparison,
): 'same' | 'different' | 'unknown' {
  let areSolved = true;
  const fit = atPoints(comparison, (point) => {
    const [ofA, ofB] = [a, b].map(
      (expression) => (value: MathValue) =>
        evaluate(expression, (name) => (name === letter ? value : point(name)), comparison.work),
    ) as [OfOne, OfOne];
    const [x, y] = [rootsOf(ofA), rootsOf(ofB)];
    areSolved &&= x !== undefined && y !== undefined;
    return (x ?? []).every((root) => isZero(ofB(root))) && (y ?? []).every((root) => isZero(ofA(root)));
  });
  if (!fit) return 'different';
  return areSolved ? 'same' : 'unknown';
}

/** True if a test holds at every point where it is defined. */
function atPoints({ points }: Comparison, holds: (point: LetterValues) => boolean): boolean {
  let made = 0;
  let last: Undecidable | undefined;
  for (const point of points) {
    const held = attempt(() => holds(point));
    if (held === false) return false;
    if (held === true) made += 1;
    else last = held;
  }
  if (made < MIN_POINTS) throw new Undecidable(last?.message ?? 'no point to compare at');
  return true;
}

function equalConstants(
  a: MathNode,
  b: MathNode,
  { work }: Comparison,
  equal: (x: MathValue, y: MathValue) => boolean,
): boolean {
  const [x, y] = [constantValue(a), constantValue(b)];
  if (!x && !y) throw new Undecidable('neither answer has a value');
  return x !== undefined && y !== undefined && equal(x, y);

  function constantValue(node: MathNode): MathValue | undefined {
    try {
      return evaluate(node, noLetters, work);
    } catch (error) {
      if (error instanceof NoValue) return undefined;
      throw error;
    }
  }
}

/** Fails on any letter. */
export const noLetters: LetterValues = (name) => {
  throw new Undecidable(`${name} has no value`);
};

/**
 * Compares values of expressions: exactly if both are rational, up to rounding errors if not, and up to `tolerance`
 * if an expression contains a decimal, which may be rounded by hand.
 */
export function valuesEqual(
  nodes: readonly MathNode[],
  tolerance: number,
): (x: MathValue, y: MathValue) => boolean {
  const isRounded = nodes.some((node) =>
    someNode(node, (found) => found.kind === 'number' && found.isDecimal),
  );
  return (x, y) => {
    if (x.exact && y.exact) {
      const same = x.exact.over === y.exact.over && x.exact.under === y.exact.under;
      return same || (isRounded && nearlyEqual(x.re, y.re, tolerance));
    }
    const rounding = x.error + y.error;
    if (sizeOf(add(x, negate(y))) <= rounding) {
      if (rounding > MAX_ERROR * Math.max(1, sizeOf(x)))
        throw new Undecidable('rounding left too few digits');
      return true;
    }
    return isRounded && nearlyEqual(x.re, y.re, tolerance) && nearlyEqual(x.im, y.im, tolerance);
  };
}

/** A function of one number. */
type OfOne = (value: MathValue) => MathValue;

const half = exactValue(ratio(1n, 2n)!);

/** Check points for a fitted function: on both sides, far off and between integers, since `|x|` has two slopes. */
const checkedAt = [ratio(7n)!, ratio(-11n)!, ratio(-5n, 2n)!, ratio(10_007n)!, ratio(-10_007n)!].map(
  exactValue,
);

/**
 * Roots of a linear or quadratic function; undefined for others and for constants. Sampled from 2 on, since many
 * functions are undefined at 0 or 1.
 */
function rootsOf(of: OfOne): readonly MathValue[] | undefined {
  const [x2, x3, x5] = [2, 3, 5].map(wholeValue) as MathValue[];
  const at2 = of(x2!);
  const slope = minus(of(x3!), at2);
  // Newton's divided difference over 2, 3 and 5.
  const curve = divide(minus(divide(minus(of(x5!), at2), wholeValue(3)), slope), wholeValue(2));
  const predicted = (x: MathValue) =>
    add(at2, multiply(minus(x, x2!), add(slope, multiply(curve, minus(x, x3!)))));
  const isQuadratic = checkedAt.every((x) => isZero(minus(of(x), predicted(x))));
  if (!isQuadratic) return undefined;
  if (isZero(curve)) return isZero(slope) ? undefined : [minus(x2!, divide(at2, slope))];
  return quadraticRoots(curve, minus(slope, curve), at2).map((root) => add(root, x2!));
}

/** Roots of a + bx + cx^2 for c, b and a. */
function quadraticRoots(c: MathValue, b: MathValue, a: MathValue): MathValue[] {
  const discriminant = minus(multiply(b, b), multiply(wholeValue(4), multiply(a, c)));
  const root = isZero(discriminant) ? wholeValue(0) : power(discriminant, half);
  const twice = multiply(wholeValue(2), c);
  return [root, negate(root)].map((signed) => divide(minus(signed, b), twice));
}

function minus(a: MathValue, b: MathValue): MathValue {
  return add(a, negate(b));
}
