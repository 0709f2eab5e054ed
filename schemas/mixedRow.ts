import { z } from 'zod';

const count = z.int().nonnegative();

/** A line of `mixed.jsonl`: a row of `dataset.mix` as it was read, before the chat template. */
export const mixedRowSchema = z.strictObject({
  /** Content id: the same row has the same one in any file and at any place. */
  id: z.string(),
  /** File that it was read from, by its path in `dataset.mix[].file`. */
  file: z.string(),
  layout: z.enum(['messages', 'sharegpt', 'alpaca', 'tokens']),
  /** Turns; of tokens, stretches that are trained or not, with their chat markup. */
  messages: z.array(
    z.strictObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: z.string(),
      trained: z.boolean(),
    }),
  ),
});
export type MixedRow = z.infer<typeof mixedRowSchema>;

/** What became of one file of `dataset.mix`. */
export const mixedFileCountsSchema = z.strictObject({
  /** Last part of `dataset.mix[].file`. */
  file: z.string(),
  /** The files that it stands for, by name. */
  sources: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  /** Asked for; null: all rows. */
  share: z.number().nullable(),
  rows: count.nullable(),
  weight: z.number(),
  rows_read: count,
  taken: count,
  /** Rows that could have been taken, and were not drawn. */
  not_drawn: count,
  /** Rows that were left out, by reason, with the place and words of the first. */
  left_out: z.record(z.string(), z.strictObject({ rows: count, first: z.string() })),
  /** Rows taken by layout. */
  layouts: z.record(z.string(), count),
  /** Columns and fields of the rows that nothing reads, with their number of rows. */
  not_read: z.record(z.string(), count),
  /** Rows that were asked for and that the file does not have. */
  missing: count,
  /** Rows taken by split. */
  splits: z.strictObject({ train: count, validation: count }),
  tokens: count,
  trained_tokens: count,
});
export type MixedFileCounts = z.infer<typeof mixedFileCountsSchema>;

/**
 * What became of a file of `dataset.mix`, in a line.
 *
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
