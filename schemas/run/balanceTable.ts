import { z } from 'zod';
import { balanceDimensions } from '../config/balance.ts';

const groupCountsSchema = z.object({
  group: z.string(),
  /** Records that came in. */
  before: z.int().nonnegative(),
  /** Records that stayed. */
  after: z.int().nonnegative(),
  /** Rows that those make, repeats counted. */
  rows: z.int().nonnegative(),
  /** Sum of the rows' weights. */
  weight: z.number().nonnegative(),
});

/** How many records of each group there were before and after balancing. */
const balanceTableSchema = z.array(
  z.object({
    dimension: z.enum(balanceDimensions),
    /** In the order of their names. */
    groups: z.array(groupCountsSchema),
  }),
);
export type BalanceTable = z.infer<typeof balanceTableSchema>;

/** `balance/balance.json`. */
export const balanceFileSchema = z.object({ dimensions: balanceTableSchema });
