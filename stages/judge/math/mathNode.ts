import { type Ratio, ratio } from '../../../schemas/answers/ratio.ts';

/** Syntax tree of an answer. Expressions have a value; the other nodes contain expressions and each other. */
export type MathNode =
  | Expression
  /** `\text{east}`, or words without mathematics. */
  | { readonly kind: 'words'; readonly text: string }
  /** `5 cm`, `20%`, `90^\circ`; `isCount`: the words are only a unit or a counted noun. */
  | { readonly kind: 'amount'; readonly of: MathNode; readonly unit: string; readonly isCount: boolean }
  /** Bare commas: unordered unless the other side is a tuple. */
  | { readonly kind: 'list'; readonly items: readonly MathNode[] }
  | { readonly kind: 'set'; readonly items: readonly MathNode[] }
  /** `(1,2)`, `[1,2)`: tuples, points and intervals differ only by their brackets. */
  | { readonly kind: 'tuple'; readonly brackets: string; readonly items: readonly MathNode[] }
  /** `A \cup B`, `A \cap B`, `A \setminus B`; the operator is the command. */
  | { readonly kind: 'sets'; readonly operator: string; readonly items: readonly MathNode[] }
  /** `a < b \le c`: one operator fewer than sides. */
  | { readonly kind: 'relation'; readonly operators: readonly string[]; readonly sides: readonly MathNode[] }
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly MathNode[])[] };

/** Node with one value for each assignment of its letters. */
type Expression =
  | { readonly kind: 'number'; readonly value: Ratio; readonly isDecimal: boolean }
  /** `204_5`. */
  | { readonly kind: 'based'; readonly digits: string; readonly base: number }
  | { readonly kind: 'letter'; readonly name: string }
  | { readonly kind: 'constant'; readonly name: 'pi' | 'e' | 'i' | 'infinity' }
  | { readonly kind: 'sum'; readonly terms: readonly MathNode[] }
  | { readonly kind: 'product'; readonly factors: readonly MathNode[] }
  | { readonly kind: 'quotient'; readonly over: MathNode; readonly under: MathNode }
  | { readonly kind: 'power'; readonly base: MathNode; readonly exponent: MathNode }
  | { readonly kind: 'negative'; readonly of: MathNode }
  /** A function of `mathFunctions`. */
  | { readonly kind: 'apply'; readonly name: string; readonly args: readonly MathNode[] };

/** Direct children of a node. */
export function childrenOf(node: MathNode): readonly MathNode[] {
  return Object.values(node)
    .flat(2)
    .filter((part): part is MathNode => typeof part === 'object' && 'kind' in part);
}

/** Replaces each direct child of a node. */
export function withChildren(node: MathNode, replace: (child: MathNode) => MathNode): MathNode {
  const replaced = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(replaced);
    return typeof part === 'object' && part !== null && 'kind' in part ? replace(part as MathNode) : part;
  };
  return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, replaced(part)])) as MathNode;
}

/** True for nodes that have a value. */
export function isExpression(node: MathNode): node is Expression {
  return !['list', 'set', 'tuple', 'sets', 'relation', 'matrix', 'words', 'amount'].includes(node.kind);
}

/** True if a predicate holds for this node or a descendant. */
export function someNode(node: MathNode, is: (node: MathNode) => boolean): boolean {
  return is(node) || childrenOf(node).some((child) => someNode(child, is));
}

export function lettersOf(node: MathNode): ReadonlySet<string> {
  const names = new Set<string>();
  someNode(node, (found) => {
    if (found.kind === 'letter') names.add(found.name);
    return false;
  });
  return names;
}

/** An integer or fraction as a node. */
export function numberNode(value: Ratio, isDecimal = false): MathNode {
  return { kind: 'number', value, isDecimal };
}

const minusOne: MathNode = numberNode(ratio(-1n)!);

/** Product of factors; a number scales each cell of a matrix. */
export function productNode(factors: readonly MathNode[]): MathNode {
  if (factors.length === 1) return factors[0]!;
  const matrices = factors.filter((factor) => factor.kind === 'matrix');
  const [matrix] = matrices;
  if (matrices.length !== 1 || !matrix) return { kind: 'product', factors };
  const others = factors.filter((factor) => factor !== matrix);
  const rows = matrix.rows.map((row) => row.map((cell) => productNode([...others, cell])));
  return { kind: 'matrix', rows };
}

/** Negative of a node, cell by cell for a matrix. */
export function negativeNode(of: MathNode): MathNode {
  return of.kind === 'matrix' ? productNode([minusOne, of]) : { kind: 'negative', of };
}

/** `\\emptyset` and its synonyms. */
export const emptySet: MathNode = { kind: 'letter', name: '\\emptyset' };

/** A degree in radians. */
export const degree: MathNode = {
  kind: 'quotient',
  over: { kind: 'constant', name: 'pi' },
  under: numberNode(ratio(180n)!),
};

/** Size of a number or a fraction of numbers; NaN otherwise. */
export function plainSize(node: MathNode): number {
  if (node.kind === 'number') return Number(node.value.over) / Number(node.value.under);
  return node.kind === 'quotient' ? plainSize(node.over) / plainSize(node.under) : Number.NaN;
}
