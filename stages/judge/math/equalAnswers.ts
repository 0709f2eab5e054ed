import { ratio } from '../../../schemas/answers/ratio.ts';
import { equalEquations, spread, statedValues } from './equalEquations.ts';
import { type Comparison, equalExpressions } from './equalExpressions.ts';
import {
  allAgree,
  allEqual,
  type Equal,
  eachHasEqual,
  equalInAnyOrder,
  equalWords,
  isEmptySet,
} from './equalItems.ts';
import { equalMathAmounts, refuseLetteredAmount } from './equalMathAmounts.ts';
import {
  childrenOf,
  emptySet,
  isExpression,
  lettersOf,
  type MathNode,
  negativeNode,
  numberNode,
  plainSize,
  productNode,
  someNode,
  withChildren,
} from './mathNode.ts';
import { equalRealSets, infinitySign } from './realSet.ts';
import { Undecidable } from './undecidable.ts';

type Of<Kind extends MathNode['kind']> = Extract<MathNode, { readonly kind: Kind }>;

/** True if two answers are equal. Throws {@link Undecidable} if undecided. */
export function equalAnswers(answer: MathNode, gold: MathNode, comparison: Comparison): boolean {
  comparison.work.spend(1);
  const [a, b] = [withoutAll(answer), withoutAll(gold)];
  const equal: Equal = (x, y) => equalAnswers(x, y, comparison);
  if (a.kind === 'amount' || b.kind === 'amount') return equalMathAmounts(a, b, equal);
  const [left, right] = [statedValues(spread(a, b), b), statedValues(spread(b, a), a)];
  if (left[0] !== a || right[0] !== b) return allAgree(left, right, equal);
  if (a.kind === 'words' || b.kind === 'words') return equalWords(a, b, equal);
  if (isRange(a) || isRange(b)) return equalRanges(a, b, comparison);
  if (a.kind === 'relation' && b.kind === 'relation') return equalEquations(a, b, comparison);
  if (isCollection(a) || isCollection(b)) return equalCollections(a, b, equal);
  if (isArray(a) || isArray(b)) return equalVectors(a, b, equal) ?? equalArrays(a, b, equal);
  if (a.kind === 'relation' || b.kind === 'relation') throw new Undecidable('an equation beside a value');
  refuseLetteredAmount(a, b, equal);
  return equalValues(a, b, comparison);
}

/** Normalises `x \ne 0, 1` and `x \ne 0, x \ne 1` to their conjunction; other nodes are unchanged. */
function withoutAll(node: MathNode): MathNode {
  const [first, ...others] = node.kind === 'list' ? node.items : [];
  const letter = first && excluding(first);
  if (!letter || others.length === 0) return node;
  const items = others.map((item): MathNode | undefined => {
    if (excluding(item)?.name === letter.name) return item;
    if (!isExpression(item) || lettersOf(item).size > 0) return undefined;
    return { kind: 'relation', operators: ['\\ne'], sides: [letter, item] };
  });
  if (items.includes(undefined)) return node;
  return { kind: 'sets', operator: '\\cap', items: [first, ...(items as MathNode[])] };
}

/** Letter of `x \ne 0`. */
function excluding(node: MathNode): Of<'letter'> | undefined {
  const [letter] = node.kind === 'relation' && node.operators.join() === '\\ne' ? node.sides : [];
  return letter?.kind === 'letter' ? letter : undefined;
}

/** True for a union or an inequality: a set of real numbers. */
function isRange(node: MathNode): boolean {
  if (node.kind === 'sets' || (node.kind === 'letter' && node.name === '\\mathbbR')) return true;
  if (node.kind === 'list') return node.items.length > 0 && node.items.every(isRange);
  return node.kind === 'relation' && node.operators.some((operator) => operator !== '=');
}

function equalRanges(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  if (a.kind === 'relation' && b.kind === 'relation') return equalEquations(a, b, comparison);
  const [left, right] = [a, b].map(namesOf) as [string, string];
  if (left !== '' && right !== '' && left !== right) return false;
  if ([a, b].some((node) => node.kind === 'words' || node.kind === 'matrix')) return false;
  return allAgree(readings(a, comparison), readings(b, comparison), (x, y) =>
    equalRealSets(x, y, comparison),
  );
}

/** Possible readings: `x<1, x>2` is a union; `x>1, x<2` may also be an intersection. */
function readings(node: MathNode, comparison: Comparison): readonly MathNode[] {
  if (node.kind !== 'list') return [node];
  const both: MathNode = { kind: 'sets', operator: '\\cap', items: node.items };
  return equalRealSets(both, emptySet, comparison) ? [node] : [node, both];
}

function namesOf(node: MathNode): string {
  return [...lettersOf(node)]
    .filter((name) => !name.startsWith('\\'))
    .sort()
    .join(' ');
}

function isCollection(node: MathNode): node is Of<'list'> | Of<'set'> {
  return node.kind === 'list' || node.kind === 'set';
}

/**
 * Compares collections: lists and sets are unordered; a list may also be a tuple without brackets, and is ordered
 * then.
 */
function equalCollections(a: MathNode, b: MathNode, equal: Equal): boolean {
  if (isCommented(a) !== isCommented(b)) throw new Undecidable('words beside values');
  const isTuple = [a, b].some((node) => node.kind === 'tuple' && node.brackets === '()');
  if (isTuple && [a, b].some((node) => node.kind === 'list')) {
    return allEqual(childrenOf(a), childrenOf(b), equal);
  }
  if ([a, b].some((node) => node.kind === 'tuple' || node.kind === 'matrix')) return false;
  // Braces with content are not empty, even if they contain the empty set.
  if ([a, b].some(({ kind }) => kind === 'set') && [a, b].some(isEmptySet)) return false;
  const [left, right] = [a, b].map((node) => (isCollection(node) ? node.items : [node]));
  // `{5}` equals 5, but inside another set it is an item of its own.
  const equalItem: Equal = (x, y) => (x.kind === 'set') === (y.kind === 'set') && equal(x, y);
  return a.kind === 'set' || b.kind === 'set'
    ? eachHasEqual(left!, right!, equalItem) && eachHasEqual(right!, left!, equalItem)
    : equalInAnyOrder(left!, right!, equal);
}

/** Detects a remark: `x=3, obviously`. */
function isCommented(node: MathNode): boolean {
  if (node.kind !== 'list') return false;
  const words = node.items.filter(({ kind }) => kind === 'words').length;
  return words > 0 && words < node.items.length;
}

/**
 * Compares `2\mathbf i+3\mathbf j` with `(2,3)`; `2\mathbf i` may also be a complex number. Undefined for other
 * nodes.
 */
function equalVectors(a: MathNode, b: MathNode, equal: Equal): boolean | undefined {
  const [sum, array] = isArray(a) ? [b, a] : [a, b];
  const vector = vectorOf(sum, childrenOf(array).length);
  if (!vector) return undefined;
  const isEqual = equalArrays(vector, array, equal);
  if (isEqual && !namesAxes(sum)) throw new Undecidable('whether i is a unit vector');
  return isEqual;
}

/** Treats a matrix of one row or column as a vector, like a tuple. */
function equalArrays(a: MathNode, b: MathNode, equal: Equal): boolean {
  if ([a, b].some((node) => isExpression(node) && someNode(node, isArray))) {
    throw new Undecidable('arithmetic with matrices');
  }
  if (a.kind === 'tuple' && b.kind === 'tuple' && a.brackets !== b.brackets) return false;
  const [left, right] = [shapeOf(a, b), shapeOf(b, a)];
  const isRow = [a, b].some((node) => node.kind === 'matrix' && node.rows.length === 1);
  if (left !== right && !(isRow && [a, b].some(({ kind }) => kind === 'tuple'))) return false;
  if (!allEqual(childrenOf(a), childrenOf(b), equal)) return false;
  if (left !== right) throw new Undecidable('whether brackets hold a row');
  return true;
}

function isArray({ kind }: MathNode): boolean {
  return kind === 'matrix' || kind === 'tuple';
}

function shapeOf(node: MathNode, other: MathNode): string {
  if (node.kind === 'tuple') return `${node.items.length}`;
  if (node.kind !== 'matrix') return 'scalar';
  const widths = node.rows.map((row) => row.length);
  const isVector = node.rows.length === 1 || widths.every((width) => width === 1);
  const isRound = other.kind === 'tuple' && other.brackets === '()';
  return isRound && isVector ? `${childrenOf(node).length}` : `matrix ${widths}`;
}

function equalValues(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  const signs = [infinitySign(a), infinitySign(b)];
  if (signs[0] !== 0 && signs[1] !== 0) return signs[0] === signs[1];
  const holdInfinity = [a, b].map((node) => someNode(node, (found) => infinitySign(found) !== 0));
  if (holdInfinity[0] !== holdInfinity[1] && signs.some((sign) => sign !== 0)) return false;
  if (a.kind === 'based' || b.kind === 'based') return equalBased(a, b, comparison);
  return equalExpressions(a, b, comparison) || equalChoices(a, b, comparison);
}

/** Reads `C_5^2` as 10 and `A_5^2` as 20 if no other letter remains; otherwise they are letters. */
function equalChoices(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  const [left, right] = [withChoices(a), withChoices(b)];
  const isRead =
    lettersOf(a).size + lettersOf(b).size > 0 && lettersOf(left).size + lettersOf(right).size === 0;
  return isRead && equalExpressions(left, right, comparison);
}

function withChoices(node: MathNode): MathNode {
  const choice = node.kind === 'power' ? choiceOf(node.base, node.exponent) : undefined;
  return choice ?? withChildren(node, withChoices);
}

function choiceOf(base: MathNode, taken: MathNode): MathNode | undefined {
  const [, sign, among] = (base.kind === 'letter' && /^([CAP])_(\d{1,3})$/.exec(base.name)) || [];
  const [all, some] = [Number(among), plainSize(taken)];
  if (taken.kind !== 'number' || !Number.isInteger(some) || !(some <= all)) return undefined;
  const choices: MathNode = { kind: 'apply', name: 'binom', args: [numberNode(ratio(BigInt(all))!), taken] };
  if (sign === 'C') return choices;
  return productNode([choices, { kind: 'apply', name: 'factorial', args: [taken] }]);
}

/** Compares numbers in a base: the base is part of the question, so an answer may omit its name. */
function equalBased(a: MathNode, b: MathNode, comparison: Comparison): boolean {
  if (a.kind === 'based' && b.kind === 'based') {
    return a.base === b.base ? a.digits === b.digits : equalExpressions(a, b, comparison);
  }
  const [based, plain] = a.kind === 'based' ? [a, b] : [b as Of<'based'>, a];
  const digits: MathNode = { kind: 'based', digits: based.digits, base: 10 };
  const isSameValue = equalExpressions(based, plain, comparison);
  if (!equalExpressions(digits, plain, comparison)) return false;
  if (isSameValue || comparison.isBaseAsked) return true;
  throw new Undecidable(`whether base ${based.base} was asked for`);
}

const axes = ['i', 'j', 'k'];
const zero = numberNode(ratio(0n)!);

/** Coefficients of each unit vector. */
type Components = ReadonlyMap<string, readonly MathNode[]>;

/**
 * Tuple of a sum of multiples of the unit vectors i, j and k, with the requested number of components or its own;
 * undefined for other nodes.
 */
function vectorOf(node: MathNode, size: number): MathNode | undefined {
  const components = isExpression(node) ? componentsOf(node) : undefined;
  if (!components || size > axes.length) return undefined;
  const length = Math.max(size, ...[...components.keys()].map((axis) => axes.indexOf(axis) + 1));
  const items = axes.slice(0, length).map((axis): MathNode => {
    const terms = components.get(axis) ?? [zero];
    return terms.length === 1 ? terms[0]! : { kind: 'sum', terms };
  });
  return { kind: 'tuple', brackets: '()', items };
}

function componentsOf(node: MathNode): Components | undefined {
  if (isAxis(node)) return new Map([[(node as { name: string }).name, [numberNode(ratio(1n)!)]]]);
  if (node.kind === 'negative') return scaled(node.of, negativeNode);
  if (node.kind === 'quotient' && !holdsAxis(node.under)) {
    return scaled(node.over, (over) => ({ kind: 'quotient', over, under: node.under }));
  }
  if (node.kind === 'sum') return added(node.terms);
  if (node.kind !== 'product') return undefined;
  const [vector, ...others] = node.factors.filter(holdsAxis);
  if (!vector || others.length > 0) return undefined;
  const scalars = node.factors.filter((factor) => factor !== vector);
  return scaled(vector, (component) => productNode([...scalars, component]));
}

function scaled(vector: MathNode, by: (component: MathNode) => MathNode): Components | undefined {
  const components = componentsOf(vector);
  return components && new Map([...components].map(([axis, terms]) => [axis, terms.map(by)]));
}

function added(terms: readonly MathNode[]): Components | undefined {
  const sum = new Map<string, MathNode[]>();
  for (const term of terms) {
    const components = componentsOf(term);
    if (!components) return undefined;
    for (const [axis, own] of components) sum.set(axis, [...(sum.get(axis) ?? []), ...own]);
  }
  return sum;
}

function isAxis(node: MathNode): boolean {
  return (node.kind === 'letter' || node.kind === 'constant') && axes.includes(node.name);
}

function holdsAxis(node: MathNode): boolean {
  return someNode(node, isAxis);
}

/** True if j or k rules out a complex number. */
function namesAxes(node: MathNode): boolean {
  const letters = lettersOf(node);
  return letters.has('j') || letters.has('k');
}
