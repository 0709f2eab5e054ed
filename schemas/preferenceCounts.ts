import { z } from 'zod';

const count = z.int().nonnegative();

/** How many pairs a dataset has. `rows`, `tokens` and `splits` of its manifest count the other formats' rows. */
export const preferenceCountsSchema = z.object({
  pairs: count,
  /** Tasks that have a pair. */
  tasks: count,
  /** Pairs by split. */
  splits: z.object({ train: count, validation: count }),
  /** Pairs of which a side is longer than `cutoff_len`: no side is ever cut. */
  too_long: count,
  /** Pairs of which a side can't be written exactly, or has nothing in the loss. */
  unusable: count,
});
export type PreferenceCounts = z.infer<typeof preferenceCountsSchema>;

/** The pairs of a dataset in one line: `12 pairs of 9 tasks (left out: 1 with a side that is too long)`. */
export function preferenceNotice({ pairs, tasks, too_long, unusable }: PreferenceCounts): string {
  const left = [
    ...(too_long > 0 ? [`${too_long} with a side that is too long`] : []),
    ...(unusable > 0 ? [`${unusable} with a side that can't be written exactly or trains nothing`] : []),
  ].join(', ');
  return `${pairs} pairs of ${tasks} tasks${left && ` (left out: ${left})`}`;
}
