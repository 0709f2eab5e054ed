import { z } from 'zod';

const count = z.int().nonnegative();

/** A line of `mixed.jsonl`: a row of `dataset.mix` before the chat template. */
export const mixedRowSchema = z.strictObject({
  /** Content id, the same for equal rows in any file and position. */
  id: z.string(),
  /** Source file, by its path in `dataset.mix[].file`. */
  file: z.string(),
  layout: z.enum(['messages', 'sharegpt', 'alpaca', 'tokens']),
  /** Turns; for token rows, trained and untrained stretches with their chat markup. */
  messages: z.array(
    z.strictObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string(),
      trained: z.boolean(),
    }),
  ),
});
export type MixedRow = z.infer<typeof mixedRowSchema>;

/** Result for one file of `dataset.mix`. */
export const mixedFileCountsSchema = z.strictObject({
  /** Last part of `dataset.mix[].file`. */
  file: z.string(),
  /** Matching files by name. */
  sources: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  /** Requested share; null: all rows. */
  share: z.number().nullable(),
  rows: count.nullable(),
  weight: z.number(),
  rows_read: count,
  taken: count,
  /** Eligible rows that were not drawn. */
  not_drawn: count,
  /** Excluded rows by reason, with the position and message of the first. */
  left_out: z.record(z.string(), z.strictObject({ rows: count, first: z.string() })),
  /** Rows taken by layout. */
  layouts: z.record(z.string(), count),
  /** Unread columns and fields with their number of rows. */
  not_read: z.record(z.string(), count),
  /** Requested rows that the file lacks. */
  missing: count,
  /** Rows taken by split. */
  splits: z.strictObject({ train: count, validation: count }),
  tokens: count,
  trained_tokens: count,
});
export type MixedFileCounts = z.infer<typeof mixedFileCountsSchema>;

/**
 * One-line result for a file of `dataset.mix`.
 * @param total - Rows of the dataset.
 */
export function mixNotice(counts: MixedFileCounts, total: number): string {
  const { file, share, rows, rows_read, taken, missing } = counts;
  const percent = (part: number) => `${Number((100 * part).toFixed(1))}%`;
  const asked = share !== null ? percent(share) : rows !== null ? `${rows} rows` : 'all rows';
  const held = total === 0 ? 0 : taken / total;
  const left = Object.entries(counts.left_out).map(([reason, each]) => `${reason} ${each.rows}`);
  const unread = Object.entries(counts.not_read).map(([name, of]) => `${name} in ${of}`);
  return [
    `${file}: ${taken} of ${rows_read} rows mixed in, ${percent(held)} of the dataset (asked for: ${asked})`,
    ...(missing > 0 ? [`${missing} rows fewer than asked for, since the file has no more that fit`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
    ...(unread.length > 0 ? [`not read: ${unread.join(', ')}`] : []),
  ].join('; ');
}
