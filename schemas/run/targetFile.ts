import { z } from 'zod';

const counts = z.record(z.string(), z.int().nonnegative());

/** `target.json`: the windows in which a run takes tasks until its dataset reaches `target`. */
export const targetFileSchema = z.object({
  unit: z.enum(['rows', 'tokens']),
  /** By profile, or under `*` for all together. */
  wanted: counts,
  /** Available tasks, by the same keys. */
  available: counts,
  windows: z
    .array(
      z.object({
        /** Tasks by profile, previous windows included: the first ones of each. */
        tasks: counts,
        /** Counts in the dataset at its end, by the keys of `wanted`; absent during the window. */
        held: counts.optional(),
      }),
    )
    .min(1),
});
export type TargetFile = z.infer<typeof targetFileSchema>;
