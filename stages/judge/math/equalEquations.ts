import { type Comparison, compareSolutions, equalExpressions, proportional } from './equalExpressions.ts';
import { allAgree } from './equalItems.ts';
import { isExpression, lettersOf, type MathNode } from './mathNode.ts';
import { distanceRange, equalRealSets } from './realSet.ts';
import { attempt, Undecidable } from './undecidable.ts';

type Relation = Extract<MathNode, { readonly kind: 'relation' }>;

type Sides = readonly [MathNode, MathNode];

/** True if two equations or inequalities have the same solutions. */
export function equalEquations(a: Relation, b: Relation, comparison: Comparison): boolean {
  const isEquation = (node: Relation) => node.operators.every((operator) => operator === '=');
  if (isEquation(a) !== isEquation(b)) return false;
  if (!isEquation(a)) return equalInequalities(a, b, comparison);
  const valuesOf = ({ sides }: Relation) => chainedValues(sides.slice(1));
  return allAgree(valuesOf(a), valuesOf(b), (x, y) =>
    equalSides([a.sides[0]!, x], [b.sides[0]!, y], comparison),
  );
}

function equalSides(a: Sides, b: Sides, comparison: Comparison): boolean {
  const [left, right] = [nameFunctions(a, b), nameFunctions(b, a)];
  if (left.every(hasNoLetters) && right.every(hasNoLetters)) {
    return left.every((side, at) => equalExpressions(side, right[at]!, comparison));
  }
  return sameSolutions(left, right, comparison);
}

function sameSolutions(a: Sides, b: Sides, comparison: Comparison): boolean {
  const [left, right] = [difference(...a), difference(...b)];
  if (!sameLetters(left, right)) return false;
  if (proportional(left, right, comparison, { positive: false })) return true;
  for (const letter of lettersOf(left)) {
    // If one letter does not decide, another may.
    const solutions = attempt(() => compareSolutions(left, right, letter, comparison));
    if (solutions === 'same' || solutions === 'different') return solutions === 'same';
  }
  throw new Undecidable('two equations of which neither is a multiple of the other');
}

/** Reads `f(x)=2x` and `y=2x` as one function. */
function nameFunctions(a: Sides, b: Sides): Sides {
  const [name] = a[0].kind === 'product' && a[0].factors.length === 2 ? a[0].factors : [];
  const isFunction = name?.kind === 'letter' && /^[fgh]$/.test(name.name) && !lettersOf(a[1]).has(name.name);
  const isFree = b[0].kind === 'letter' && !lettersOf(a[1]).has(b[0].name);
  const isNamed = isFunction && isFree && [...lettersOf(a[1])].every((name) => lettersOf(a[0]).has(name));
  return isNamed ? [b[0], a[1]] : a;
}

function equalInequalities(a: Relation, b: Relation, comparison: Comparison): boolean {
  if (!sameLetters(a, b)) return false;
  if (isSimple(a) && isSimple(b)) return equalRealSets(a, b, comparison);
  if (a.operators.length > 1 || b.operators.length > 1) throw new Undecidable('chains of inequalities');
  const [left, right] = [directed(a), directed(b)];
  if (left.operator !== right.operator) return false;
  const positive = left.operator !== '\\ne';
  return proportional(left.difference, right.difference, comparison, { positive });
}

/** True for a letter, or its distance from a number, compared with numbers. */
function isSimple(relation: Relation): boolean {
  const { sides } = relation;
  if (sides.filter((side) => !hasNoLetters(side)).length !== 1) return false;
  return sides.some(({ kind }) => kind === 'letter') || distanceRange(relation) !== undefined;
}

/** Inequality as `difference > 0` or `difference \ge 0`. */
function directed({ operators, sides }: Relation): { operator: string; difference: MathNode } {
  const [left, right] = [sides[0]!, sides[1]!];
  const operator = operators[0]!;
  if (operator === '<') return { operator: '>', difference: difference(right, left) };
  if (operator === '\\le') return { operator: '\\ge', difference: difference(right, left) };
  return { operator, difference: difference(left, right) };
}

function difference(a: MathNode, b: MathNode): MathNode {
  return { kind: 'sum', terms: [a, { kind: 'negative', of: b }] };
}

function hasNoLetters(node: MathNode): boolean {
  return lettersOf(node).size === 0;
}

function sameLetters(a: MathNode, b: MathNode): boolean {
  const [left, right] = [lettersOf(a), lettersOf(b)];
  return left.size === right.size && [...left].every((name) => right.has(name));
}

/** Letters with a conventional order. */
const ordered = /^(?:[xyz]+|[a-d]+|[A-D]+)$/;

/**
 * Converts `y=6, x=5` and `(y,x)=(6,5)` to `(5,6)` for comparison with unnamed values, and to a list of equations
 * otherwise.
 */
export function spread(node: MathNode, other: MathNode): MathNode {
  if (other.kind !== 'list' && other.kind !== 'tuple') return node;
  const list = spreadNames(node);
  if (list.kind !== 'list' || other.items.some(({ kind }) => kind === 'relation')) return list;
  const named = list.items.map(namedValue);
  const names = named.map((item) => item?.name ?? '-').join('');
  if (new Set(names).size !== list.items.length || !ordered.test(names))
    return other.kind === 'list' ? list : node;
  const inOrder = named.toSorted((a, b) => (a!.name < b!.name ? -1 : 1));
  return { kind: 'tuple', brackets: '()', items: inOrder.map((item) => item!.value) };
}

function namedValue(node: MathNode): { readonly name: string; readonly value: MathNode } | undefined {
  if (node.kind !== 'relation' || node.sides.length !== 2 || node.operators[0] !== '=') return undefined;
  const [name, value] = node.sides;
  return name?.kind === 'letter' ? { name: name.name, value: value! } : undefined;
}

/** Converts `(x,y)=(5,6)` to `x=5, y=6`. */
function spreadNames(node: MathNode): MathNode {
  if (node.kind !== 'relation' || !node.operators.every((sign) => sign === '=')) return node;
  const [names, values] = node.sides;
  if (names?.kind !== 'tuple' || values?.kind !== 'tuple' || names.items.length !== values.items.length) {
    return node;
  }
  const items = names.items.map(
    (name, at): MathNode => ({ kind: 'relation', operators: ['='], sides: [name, values.items[at]!] }),
  );
  return { kind: 'list', items };
}

/**
 * Values that an answer states: `x=5` and `x\in[1,2]` equal `5` and `[1,2]` if the other side names nothing, `2+3=5`
 * equals 5. A chain states each of its values: `x=2+2=5` is both 4 and 5.
 */
export function statedValues(node: MathNode, other: MathNode): readonly MathNode[] {
  if (node.kind !== 'relation' || other.kind === 'relation') return [node];
  const [first, ...rest] = node.sides;
  const isMember = node.operators.length === 1 && node.operators[0] === '\\in';
  const isEquation = node.operators.every((operator) => operator === '=');
  const isSum = node.sides.every((side) => isExpression(side) && hasValue(side));
  const isNamed = isName(first!) || isSum;
  const isRelationInList = other.kind === 'list' && other.items.every((item) => item.kind === 'relation');
  if (!(isMember || isEquation) || !isNamed || isRelationInList) return [node];
  return isSum ? node.sides : chainedValues(rest);
}

/** Values of a chain after its name: `x=y+1=5` states only 5. */
function chainedValues(sides: readonly MathNode[]): readonly MathNode[] {
  return sides.filter((side, at) => at === sides.length - 1 || hasValue(side));
}

function hasValue(node: MathNode): boolean {
  return node.kind !== 'words' && lettersOf(node).size === 0;
}

/** True for `x`, `f(x)`, `f^{-1}(2)`, `P(X>1)`, `AB`, `\text{Area}`; `xy` is a product. */
function isName(node: MathNode): boolean {
  if (node.kind === 'letter' || node.kind === 'words') return true;
  if (node.kind === 'tuple') return node.items.every(({ kind }) => kind === 'letter');
  if (node.kind === 'constant') return node.name === 'e' || node.name === 'i';
  if (node.kind !== 'product') return false;
  const [first, ...rest] = node.factors
    .map((factor) => (isInverse(factor) ? factor.base : factor))
    .map(letterName);
  const isFunction = rest.length === 1 && /^[fghEPQ]$/.test(first!);
  return isFunction || [first!, ...rest].every((name) => /^[A-Z]$/.test(name));
}

function isInverse(node: MathNode): node is Extract<MathNode, { readonly kind: 'power' }> {
  return node.kind === 'power' && node.exponent.kind === 'negative';
}

function letterName(node: MathNode): string {
  return node.kind === 'letter' ? node.name : '';
}
