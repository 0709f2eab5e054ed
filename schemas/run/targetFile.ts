import { z } from 'zod';

const counts = z.record(z.string(), z.int().nonnegative());
const intervalSchema = z.object({ low: z.number(), expected: z.number(), high: z.number() });

/** What is still to come, with the bounds that 95 of 100 runs stay within. */
const targetForecastSchema = z.object({
  tasks: intervalSchema,
  /** Of all calls that were paid; 0 where no price is known. */
  cost_usd: intervalSchema,
  /** Of the same calls. */
  tokens: intervalSchema,
  /** At the pace of the first window; absent where it was not worked through in one go. */
  seconds: intervalSchema.optional(),
});
export type TargetForecast = z.infer<typeof targetForecastSchema>;

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
  /** As it was after the first window. */
  forecast: targetForecastSchema.optional(),
});
export type TargetFile = z.infer<typeof targetFileSchema>;
