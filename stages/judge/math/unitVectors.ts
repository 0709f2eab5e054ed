import {
  isExpression,
  lettersOf,
  type MathNode,
  negativeNode,
  numberNode,
  productNode,
  someNode,
} from './mathNode.ts';
import { ratio } from './ratio.ts';

const axes = ['i', 'j', 'k'];
const zero = numberNode(ratio(0n)!);

/** What stands before each unit vector. */
type Components = ReadonlyMap<string, readonly MathNode[]>;

/**
 * A sum of multiples of the unit vectors i, j and k as a tuple of as many components as are asked for, or as it has;
 * undefined for all else.
 */
export function vectorOf(node: MathNode, size: number): MathNode | undefined {
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

/** True for what can't be a complex number: it names j or k. */
export function namesAxes(node: MathNode): boolean {
  const letters = lettersOf(node);
  return letters.has('j') || letters.has('k');
}
