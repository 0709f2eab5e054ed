import { z } from 'zod';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);

const latencySchema = z.object({
  /** Measured responses: the latest 10,000. */
  answers: count,
  p50_ms: z.number().nonnegative().nullable(),
  p99_ms: z.number().nonnegative().nullable(),
});

export const rlStatusSchema = z.object({
  started_at: z.string(),
  in_flight: count,
  observations: counts,
  /** Cached results among `observations`, by tool. */
  cached: counts,
  /** `/v1/next` requests without a result, by cause. */
  failures: counts,
  /** End reasons in responses of `/v1/next`. */
  ends: counts,
  continued: count,
  scored: count,
  /** `/v1/score` requests without a verdict, by cause. */
  unscored: counts,
  /** Rejected requests, by cause. */
  refused: counts,
  next: latencySchema,
  score: latencySchema,
});
export type RlStatus = z.infer<typeof rlStatusSchema>;
