import { z } from 'zod';
import { noPath } from '../../schemas/config/keyMeaning.ts';

/**
 * Reward of a trajectory from its parts: a number, a part by name, or an operation on expressions.
 *
 * | operation | value |
 * |---|---|
 * | `sum` | sum of its terms |
 * | `product` | product of its factors: `{product: [-0.5, repeats]}` weights a part |
 * | `gate` | value of `open` if the gate is above 0, otherwise of `closed` |
 */
export type RewardExpression = number | string | RewardOperation;

/**
 * One of `sum`, `product`, and `gate` with `open` and `closed`. A type, since TypeScript does not accept an interface
 * as a JSON object.
 */
type RewardOperation = {
  readonly sum?: readonly RewardExpression[] | undefined;
  readonly product?: readonly RewardExpression[] | undefined;
  readonly gate?: RewardExpression | undefined;
  readonly open?: RewardExpression | undefined;
  readonly closed?: RewardExpression | undefined;
};

export const partNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'lower-case letters, digits and underscores')
  .meta(noPath);

/** Allowed key sets of operations, sorted. */
const operations = ['sum', 'product', 'closed,gate,open'];

const inner: z.ZodType<RewardExpression> = z.lazy(() => rewardExpressionSchema);
const terms = z.array(inner).min(1).optional();

type WrittenExpression = number | string | Readonly<Record<string, unknown>>;

/** Written form of a {@link RewardExpression}. */
export const rewardExpressionSchema: z.ZodType<RewardExpression, WrittenExpression> = z.union([
  z.number(),
  partNameSchema,
  z
    // The refinement lists the allowed keys.
    .looseObject({
      sum: terms,
      product: terms,
      gate: inner.optional(),
      open: inner.optional(),
      closed: inner.optional(),
    })
    .refine((operation) => operations.includes(Object.keys(operation).toSorted().join()), {
      message: 'one of sum, product, and gate with open and closed',
    }),
]);

export function partsIn(expression: RewardExpression): readonly string[] {
  if (typeof expression === 'number') return [];
  if (typeof expression === 'string') return [expression];
  const { sum = [], product = [], gate, open, closed } = expression;
  const below = [...sum, ...product, gate, open, closed].filter((one) => one !== undefined);
  return [...new Set(below.flatMap(partsIn))];
}

/** Weighted sum of parts; parts of weight 0 are dropped. */
export function weightedSum(weights: Readonly<Record<string, number>>): RewardExpression {
  const counted = Object.entries(weights).filter(([, weight]) => weight !== 0);
  const [first, ...others] = counted.map(([name, weight]) =>
    weight === 1 ? name : { product: [weight, name] },
  );
  if (first === undefined) return 0;
  return typeof first === 'string' && others.length === 0 ? first : { sum: [first, ...others] };
}

/** Value of an expression; null if a required part is unknown. */
export function rewardOf(
  expression: RewardExpression,
  parts: Readonly<Record<string, number | null>>,
): number | null {
  if (typeof expression === 'number') return expression;
  if (typeof expression === 'string') return parts[expression] ?? null;
  const { sum, product, gate, open, closed } = expression;
  if (sum) return folded(sum, parts, 0, (total, value) => total + value);
  if (product) return folded(product, parts, 1, (total, value) => total * value);
  const way = rewardOf(gate!, parts);
  return way === null ? null : rewardOf(way > 0 ? open! : closed!, parts);
}

function folded(
  expressions: readonly RewardExpression[],
  parts: Readonly<Record<string, number | null>>,
  start: number,
  join: (total: number, value: number) => number,
): number | null {
  return expressions.reduce<number | null>((total, expression) => {
    const value = rewardOf(expression, parts);
    return total === null || value === null ? null : join(total, value);
  }, start);
}
