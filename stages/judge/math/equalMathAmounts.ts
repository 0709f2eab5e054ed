import type { Equal } from './equalItems.ts';
import { degree, isExpression, type MathNode, numberNode, someNode } from './mathNode.ts';
import { ratio } from './ratio.ts';
import { Undecidable } from './undecidable.ts';
import { isKnownUnit, plainSize, unitName, unitRatio } from './units.ts';

const hundred = numberNode(ratio(100n)!);

/**
 * Amounts in different units are converted where that is possible, and differ where it is not. A unit that only one
 * side states is passed over; `50%` is also 0.5, and `90^\circ` also `\frac{\pi}{2}`.
 */
export function equalMathAmounts(a: MathNode, b: MathNode, equal: Equal): boolean {
  const [left, right] = [amountOf(a, b), amountOf(b, a)];
  if (left.unit === right.unit) return equal(left.of, right.of);
  if (left.unit !== '' && right.unit !== '') return equalConverted(left, right, equal);
  const [bare, stated] = left.unit === '' ? [left.of, right] : [right.of, left];
  if (equal(bare, stated.of)) return isPassedOver(stated, bare);
  if (stated.unit === 'percent') return equalScaled(stated.of, hundred, bare, equal);
  if (stated.unit !== 'degree' || !isExpression(stated.of) || !someNode(bare, isAngle)) return false;
  return equal({ kind: 'product', factors: [stated.of, degree] }, bare);
}

/** True for a unit that goes without saying. Throws `Undecidable` for words, or a unit, that make another answer of it. */
function isPassedOver({ of, unit, isCount }: Amount, bare: MathNode): boolean {
  if (!isCount) throw new Undecidable(`what "${unit}" makes of the number`);
  const mayBeShare = unit === 'percent' && plainSize(of) < 1;
  if (mayBeShare || (unit === 'degree' && someNode(bare, isAngle))) {
    throw new Undecidable(`whether "${unit}" goes without saying`);
  }
  return true;
}

interface Amount {
  readonly of: MathNode;
  readonly unit: string;
  readonly isCount: boolean;
}

/** Beside an amount, `5m` is one too. */
function amountOf(node: MathNode, other: MathNode): Amount {
  if (node.kind === 'amount') return node;
  const lettered = other.kind === 'amount' && isKnownUnit(other.unit) ? letteredAmount(node) : undefined;
  return lettered ?? { of: node, unit: '', isCount: true };
}

/** `5m` and `5m^2` as amounts, which they may be, or multiples of a letter; undefined for all else. */
function letteredAmount(node: MathNode): Amount | undefined {
  if (node.kind !== 'product' || node.factors.length !== 2) return undefined;
  const [of, by] = node.factors as [MathNode, MathNode];
  const isSquare = by.kind === 'power' && by.exponent.kind === 'number';
  const letter = isSquare ? by.base : by;
  if (of.kind !== 'number' || letter.kind !== 'letter' || !/^[mgshlL]$/.test(letter.name)) return undefined;
  const power = isSquare && by.exponent.kind === 'number' ? `^${by.exponent.value.over}` : '';
  return { of, unit: unitName(`${letter.name}${power}`), isCount: true };
}

/** Throws `Undecidable` for `5m` beside `5`: the letter may be a unit that the other leaves away. */
export function refuseLetteredAmount(a: MathNode, b: MathNode, equal: Equal): void {
  for (const [lettered, bare] of [
    [letteredAmount(a), b],
    [letteredAmount(b), a],
  ] as const) {
    if (lettered && bare.kind === 'number' && equal(lettered.of, bare))
      throw new Undecidable(`whether a letter is the unit "${lettered.unit}"`);
  }
}

function equalConverted(a: Amount, b: Amount, equal: Equal): boolean {
  const factor = unitRatio(a.unit, b.unit);
  if (factor !== undefined) return equalScaled(b.of, numberNode(factor), a.of, equal);
  if (isKnownUnit(a.unit) && isKnownUnit(b.unit)) return false;
  if (!equal(a.of, b.of)) return false;
  // `12 red balls` and `12 balls` may be the same.
  throw new Undecidable(`whether "${a.unit}" is "${b.unit}"`);
}

/** True when `whole` is `part` times `times`. */
function equalScaled(whole: MathNode, times: MathNode, part: MathNode, equal: Equal): boolean {
  if (!isExpression(whole) || !isExpression(part)) return false;
  return equal(whole, { kind: 'product', factors: [part, times] });
}

/** What angles in radians are made of. */
function isAngle(node: MathNode): boolean {
  if (node.kind === 'apply') return node.name.startsWith('arc');
  return node.kind === 'constant' && node.name === 'pi';
}
