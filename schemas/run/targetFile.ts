import { z } from 'zod';

const counts = z.record(z.string(), z.int().nonnegative());

/** `target.json`: the windows in which a run takes tasks until its dataset holds what `target` asks for. */
export const targetFileSchema = z.object({
  unit: z.enum(['rows', 'tokens']),
  /** By profile, or under `*` of all together. */
  wanted: counts,
  /** Tasks that there are, by the same keys. */
  available: counts,
  windows: z
    .array(
      z.object({
        /** Tasks by profile, those of the windows before included: the first so many of each. */
        tasks: counts,
        /** What the dataset held at its end, by the keys of `wanted`; absent while it is worked on. */
        held: counts.optional(),
      }),
    )
    .min(1),
});
export type TargetFile = z.infer<typeof targetFileSchema>;
