import { z } from 'zod';

const count = z.int().nonnegative();

/** Counts of pairs. `rows`, `tokens` and `splits` of the manifest count rows of the other formats. */
export const preferenceCountsSchema = z.object({
  pairs: count,
  tasks: count,
  splits: z.object({ train: count, validation: count }),
  /** Pairs with a side longer than `cutoff_len`: sides are never truncated. */
  too_long: count,
  /** Pairs with a side that cannot be written exactly, or has nothing in the loss. */
  unusable: count,
});
export type PreferenceCounts = z.infer<typeof preferenceCountsSchema>;

/** One-line summary: `12 pairs of 9 tasks (left out: 1 with a side that is too long)`. */
export function preferenceNotice({ pairs, tasks, too_long, unusable }: PreferenceCounts): string {
  const left = [
    ...(too_long > 0 ? [`${too_long} with a side that is too long`] : []),
    ...(unusable > 0 ? [`${unusable} with a side that can't be written exactly or trains nothing`] : []),
  ].join(', ');
  return `${pairs} pairs of ${tasks} tasks${left && ` (left out: ${left})`}`;
}
