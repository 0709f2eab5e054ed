import { z } from 'zod';
import { balanceDimensions } from '../config/balance.ts';

const groupCountsSchema = z.object({
  group: z.string(),
  /** Incoming records. */
  before: z.int().nonnegative(),
  /** Kept records. */
  after: z.int().nonnegative(),
  /** Rows of the kept records, repeats counted. */
  rows: z.int().nonnegative(),
  /** Sum of the rows' weights. */
  weight: z.number().nonnegative(),
});

/** Records of each group before and after balancing. */
const balanceTableSchema = z.array(
  z.object({
    dimension: z.enum(balanceDimensions),
    /** Sorted by name. */
    groups: z.array(groupCountsSchema),
  }),
);
export type BalanceTable = z.infer<typeof balanceTableSchema>;

/** `balance/balance.json`. */
export const balanceFileSchema = z.object({ dimensions: balanceTableSchema });
