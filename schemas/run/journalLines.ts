import { z } from 'zod';
import { failureCauseSchema } from '../failureCauses.ts';

const at = z.string().describe('ISO 8601');
const amount = { cost_usd: z.number().nonnegative(), tokens: z.int().nonnegative() };

/**
 * One line of `spending.jsonl`, what a run spends: `sent` stands there before an attempt at a model call is sent,
 * with its worst case, the most that it may add; `billed` takes its place once it is known. `unbilled` says that it has
 * ended and that no bill will come; where the process was killed meanwhile neither follows. `workers` is what the workers
 * of a run on many machines have sent since the line of that kind before: less than nothing where bills came in below
 * the worst cases.
 */
export const spendingLineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sent'), attempt: z.int().nonnegative(), ...amount }),
  z.object({ kind: z.literal('billed'), attempt: z.int().nonnegative(), ...amount, at }),
  z.object({ kind: z.literal('unbilled'), attempt: z.int().nonnegative() }),
  z.object({
    kind: z.literal('workers'),
    /** Attempts that were sent. */
    attempts: z.int().nonnegative(),
    cost_usd: z.number(),
    tokens: z.int(),
    unbilled: z
      .int()
      .optional()
      .describe('Attempts that ended without a bill: this line takes back their worst case'),
    at,
  }),
]);

export type SpendingLine = z.infer<typeof spendingLineSchema>;

/**
 * A line of `<stage>/ledger.jsonl` that makes a failed input pending again (`--retry`). The earlier failure stays as
 * history and no longer counts. `kind` is the first key, so that it is known without parsing.
 */
export const retryLineSchema = z.object({
  kind: z.literal('retry'),
  /** Index of the record among the stage's inputs, from 0. */
  index: z.int().nonnegative(),
  record_id: z.string(),
  task_id: z.string(),
  /** Cause of the earlier failure. */
  cause: failureCauseSchema,
});

export type RetryLine = z.infer<typeof retryLineSchema>;

/**
 * One line of `<stage>/records.jsonl`: an input that the stage let through. Lines stand in the order in which they
 * were finished; `index` gives the order of the input. `index` and `count` come first in the line, so that a file
 * can be indexed without parsing its records.
 */
export const recordLineSchema = z.object({
  /** Index of the input among the stage's inputs, from 0. */
  index: z.int().nonnegative(),
  /** Length of `records`. */
  count: z.int().nonnegative(),
  input_id: z.string(),
  task_id: z.string(),
  records: z.array(z.unknown()),
});
export type RecordLine = z.infer<typeof recordLineSchema>;
