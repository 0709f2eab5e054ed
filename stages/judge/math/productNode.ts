import type { MathNode } from './mathNode.ts';
import { ratio } from './ratio.ts';
import { numberNode } from './readNumber.ts';

const minusOne: MathNode = numberNode(ratio(-1n)!);

/** The product of factors; a number beside a matrix multiplies each of its cells. */
export function productNode(factors: readonly MathNode[]): MathNode {
  if (factors.length === 1) return factors[0]!;
  const matrices = factors.filter((factor) => factor.kind === 'matrix');
  const [matrix] = matrices;
  if (matrices.length !== 1 || !matrix) return { kind: 'product', factors };
  const others = factors.filter((factor) => factor !== matrix);
  const rows = matrix.rows.map((row) => row.map((cell) => productNode([...others, cell])));
  return { kind: 'matrix', rows };
}

/** The negative of a node; that of a matrix is that of its cells. */
export function negativeNode(of: MathNode): MathNode {
  return of.kind === 'matrix' ? productNode([minusOne, of]) : { kind: 'negative', of };
}
