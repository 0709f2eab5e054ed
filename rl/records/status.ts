import { z } from 'zod';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);

const latencySchema = z.object({
  /** Answers that were measured: the latest 10,000. */
  answers: count,
  p50_ms: z.number().nonnegative().nullable(),
  p99_ms: z.number().nonnegative().nullable(),
});

/** What `GET /v1/status` says: counts since the server began. */
export const rlStatusSchema = z.object({
  started_at: z.string(),
  in_flight: count,
  /** By tool. */
  observations: counts,
  /** Of `observations`: results kept from an earlier call, by tool. */
  cached: counts,
  /** `/v1/next` that had no result, by cause. */
  failures: counts,
  /** By end reason, as `/v1/next` said them. */
  ends: counts,
  continued: count,
  scored: count,
  /** `/v1/score` without a verdict, by cause. */
  unscored: counts,
  /** Requests that were refused, by cause. */
  refused: counts,
  next: latencySchema,
  score: latencySchema,
});
export type RlStatus = z.infer<typeof rlStatusSchema>;
