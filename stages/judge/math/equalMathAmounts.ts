import { ratio } from '../../../schemas/answers/ratio.ts';
import { equalMeasures, findUnits, isSameUnit, nounName, type Unit } from '../../../schemas/answers/units.ts';
import { holdsNumberWord } from '../../../schemas/words/numberWords.ts';
import type { Equal } from './equalItems.ts';
import { degree, isExpression, type MathNode, numberNode, plainSize, someNode } from './mathNode.ts';
import { Undecidable } from './undecidable.ts';

const hundred = numberNode(ratio(100n)!);

/**
 * Compares amounts: different units are converted if possible, and differ if they measure different things. A unit on
 * one side only is ignored; `50%` is also 0.5, and `90^\circ` also `\frac{\pi}{2}`.
 */
export function equalMathAmounts(a: MathNode, b: MathNode, equal: Equal): boolean {
  const [left, right] = [amountOf(a, b), amountOf(b, a)];
  if (left.unit !== '' && right.unit !== '') return equalStated(left, right, equal);
  const [bare, stated] = left.unit === '' ? [left.of, right] : [right.of, left];
  if (equal(bare, stated.of)) return isPassedOver(stated, bare);
  if (isExpression(bare) && holdsNumberWord(stated.unit.toLowerCase().split(/[\s-]+/))) {
    throw new Undecidable(`what "${stated.unit}" makes of the number`);
  }
  if (measures(stated, 'percent')) return equalTimes(stated.of, hundred, bare, equal);
  if (!measures(stated, 'angle') || !isExpression(stated.of) || !someNode(bare, isAngle)) return false;
  return equal({ kind: 'product', factors: [stated.of, degree] }, bare);
}

function measures({ unit }: Amount, dimension: string): boolean {
  return findUnits(unit).some((meaning) => meaning.dimension === dimension);
}

/** True for a unit that may be omitted. Throws `Undecidable` for words or a unit that change the answer. */
function isPassedOver(stated: Amount, bare: MathNode): boolean {
  if (!stated.isCount) throw new Undecidable(`what "${stated.unit}" makes of the number`);
  const mayBeShare = measures(stated, 'percent') && plainSize(stated.of) < 1;
  if (mayBeShare || (measures(stated, 'angle') && someNode(bare, isAngle))) {
    throw new Undecidable(`whether "${stated.unit}" goes without saying`);
  }
  return true;
}

interface Amount {
  readonly of: MathNode;
  readonly unit: string;
  readonly isCount: boolean;
}

/** Reads `5m` as an amount when compared with one. */
function amountOf(node: MathNode, other: MathNode): Amount {
  if (node.kind === 'amount') return node;
  const isMeasured = other.kind === 'amount' && findUnits(other.unit).length > 0;
  return (isMeasured ? letteredAmount(node) : undefined) ?? { of: node, unit: '', isCount: true };
}

/**
 * Reads `5m`, `5m^2`, `5MB` and `5\frac{m}{s}` as amounts; they may also be products of letters. Undefined for other
 * nodes.
 */
function letteredAmount(node: MathNode): Amount | undefined {
  const [over, under] = node.kind === 'quotient' ? [node.over, `/${unitLetter(node.under)}`] : [node, ''];
  if (over.kind !== 'product') return undefined;
  const [of, ...letters] = over.factors as [MathNode, ...MathNode[]];
  const unit = `${letters.map(unitLetter).join('')}${under}`;
  return of.kind === 'number' && findUnits(unit).length > 0 ? { of, unit, isCount: true } : undefined;
}

function unitLetter(node: MathNode): string {
  if (node.kind === 'quotient') return `${unitLetter(node.over)}/${unitLetter(node.under)}`;
  if (node.kind === 'product') return node.factors.map(unitLetter).join('');
  if (node.kind === 'power') return `${unitLetter(node.base)}^${plainSize(node.exponent)}`;
  return node.kind === 'letter' || node.kind === 'constant' ? node.name : '?';
}

/** Unit symbols that a bare number may omit. */
const commonLetters = /^(?:[mgshlL](?:\^[23])?|[ck]?m\/(?:s(?:\^2)?|h))$/;

/** Throws `Undecidable` for `5m` compared with `5`, and `1h` with `60m`: letters may be units. */
export function refuseLetteredAmount(a: MathNode, b: MathNode, equal: Equal): void {
  const [left, right] = [a, b].map((node) => {
    const amount = letteredAmount(node);
    return amount && commonLetters.test(amount.unit) ? amount : undefined;
  });
  const isLettered =
    left && right
      ? left.unit !== right.unit && equalUnits(left, right, equal) === true
      : (left && b.kind === 'number' && equal(left.of, b)) ||
        (right && a.kind === 'number' && equal(right.of, a));
  if (isLettered) throw new Undecidable(`whether a letter is the unit "${(left ?? right)!.unit}"`);
}

/** Compares amounts that both state a unit or words. Throws `Undecidable` if their relation is unknown. */
function equalStated(a: Amount, b: Amount, equal: Equal): boolean {
  const known = [a, b].map(({ unit }) => findUnits(unit).length > 0);
  // `mW` and `MW` differ only in case.
  if (nounName(a.unit) === nounName(b.unit) && !known.includes(true)) return equal(a.of, b.of);
  const isEqual = equalUnits(a, b, equal);
  if (isEqual !== undefined) return isEqual;
  if (!known.includes(true) && !equal(a.of, b.of)) return false;
  // `12 red balls` and `12 balls` may be the same, and a ton may be a tonne.
  throw new Undecidable(`whether "${a.unit}" is "${b.unit}"`);
}

function equalUnits(a: Amount, b: Amount, equal: Equal): boolean | undefined {
  if (measures(a, 'radians') && measures(b, 'angle')) return equalTimes(a.of, degree, b.of, equal);
  if (measures(b, 'radians') && measures(a, 'angle')) return equalTimes(b.of, degree, a.of, equal);
  return equalMeasures(findUnits(a.unit), findUnits(b.unit), (x, y) =>
    isSameUnit(x, y) ? equal(a.of, b.of) : equal(inBaseUnits(a.of, x), inBaseUnits(b.of, y)),
  );
}

function inBaseUnits(of: MathNode, { size, offset }: Unit): MathNode {
  if (!isExpression(of)) throw new Undecidable('a conversion of what is not a number');
  return { kind: 'sum', terms: [{ kind: 'product', factors: [of, numberNode(size)] }, numberNode(offset)] };
}

/** True when `whole` is `part` times `times`. */
function equalTimes(whole: MathNode, times: MathNode, part: MathNode, equal: Equal): boolean {
  if (!isExpression(whole) || !isExpression(part)) return false;
  return equal(whole, { kind: 'product', factors: [part, times] });
}

/** True for expressions in radians. */
function isAngle(node: MathNode): boolean {
  if (node.kind === 'apply') return node.name.startsWith('arc');
  return node.kind === 'constant' && node.name === 'pi';
}
