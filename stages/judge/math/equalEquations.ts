import { chainedValues } from './answerNames.ts';
import {
  type Comparison,
  compareSolutions,
  equalExpressions,
  proportional,
  type Solutions,
} from './equalExpressions.ts';
import { allAgree } from './equalItems.ts';
import { lettersOf, type MathNode } from './mathNode.ts';
import { equalRealSets } from './realSet.ts';
import { Undecidable } from './undecidable.ts';

type Relation = Extract<MathNode, { readonly kind: 'relation' }>;

type Sides = readonly [MathNode, MathNode];

/** True when two equations or inequalities hold for the same numbers. */
export function equalEquations(a: Relation, b: Relation, comparison: Comparison): boolean {
  const isEquation = (node: Relation) => node.operators.every((operator) => operator === '=');
  if (isEquation(a) !== isEquation(b)) return false;
  if (!isEquation(a)) return equalInequalities(a, b, comparison);
  const [values, others] = [a, b].map(({ sides }) => chainedValues(sides.slice(1))) as [
    MathNode[],
    MathNode[],
  ];
  return allAgree(values, others, (x, y) => equalSides([a.sides[0]!, x], [b.sides[0]!, y], comparison));
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
  if (sameLetters(left, right) && proportional(left, right, comparison, { positive: false })) return true;
  if (!sameLetters(left, right)) return false;
  for (const letter of lettersOf(left)) {
    const solutions = orUnknown(() => compareSolutions(left, right, letter, comparison));
    if (solutions !== 'unknown') return solutions === 'same';
  }
  throw new Undecidable('two equations of which neither is a multiple of the other');
}

/** What one letter does not tell, another may. */
function orUnknown(compare: () => Solutions): Solutions {
  try {
    return compare();
  } catch (error) {
    if (error instanceof Undecidable) return 'unknown';
    throw error;
  }
}

/** `f(x)=2x` and `y=2x` are one function. */
function nameFunctions(a: Sides, b: Sides): Sides {
  const [name] = a[0].kind === 'product' && a[0].factors.length === 2 ? a[0].factors : [];
  const isFunction = name?.kind === 'letter' && /^[fgh]$/.test(name.name) && !lettersOf(a[1]).has(name.name);
  const isFree = b[0].kind === 'letter' && !lettersOf(a[1]).has(b[0].name);
  const isNamed = isFunction && isFree && [...lettersOf(a[1])].every((name) => lettersOf(a[0]).has(name));
  return isNamed ? [b[0], a[1]] : a;
}

function equalInequalities(a: Relation, b: Relation, comparison: Comparison): boolean {
  const names = [a, b].map((node) => [...lettersOf(node)].sort().join(' '));
  if (names[0] !== names[1]) return false;
  if (a.operators.length > 1 || b.operators.length > 1 || isSimple(a) || isSimple(b)) {
    if (isSimple(a) && isSimple(b)) return equalRealSets(a, b, comparison);
  }
  if (a.operators.length > 1 || b.operators.length > 1) throw new Undecidable('chains of inequalities');
  const [left, right] = [directed(a), directed(b)];
  if (left.operator !== right.operator) return false;
  const positive = left.operator !== '\\ne';
  return proportional(left.difference, right.difference, comparison, { positive });
}

/** A letter beside numbers. */
function isSimple({ sides }: Relation): boolean {
  return (
    sides.filter((side) => !hasNoLetters(side)).length === 1 && sides.some(({ kind }) => kind === 'letter')
  );
}

/** An inequality as `difference > 0` or `difference \ge 0`. */
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
