import { sha256Hex } from '../base/ids.ts';

/** First wait of the exponential back-off. */
const BASE_WAIT_MS = 200;
/**
 * Maximum back-off without a `Retry-After`. It is meant for faults of single requests; the circuit breaker waits
 * longer for a failing endpoint, without using up retries.
 */
const MAX_BACKOFF_MS = 2000;

/** Maximum `Retry-After` that is honoured. */
export const MAX_RETRY_WAIT_MS = 120_000;

/** Inputs of the wait before a retry. */
interface RetryWait {
  /** Retries so far, from 0. */
  readonly attempt: number;
  /** Seed of the jitter: the same on every machine, different between requests. */
  readonly requestHash: string;
  /** Wait requested by the endpoint, if any. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Milliseconds before a retry: the endpoint's request, capped; otherwise exponential back-off with jitter in the
 * upper half. At most `MAX_RETRY_WAIT_MS`.
 */
export function retryWaitMs({ attempt, requestHash, retryAfterMs }: RetryWait): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, BASE_WAIT_MS * 2 ** attempt);
  const jitteredMs = Math.round(backoffMs * (0.5 + 0.5 * unitFraction(`${requestHash}:${attempt}`)));
  return Math.min(MAX_RETRY_WAIT_MS, Math.max(jitteredMs, retryAfterMs ?? 0));
}

/** Number in [0, 1) derived from the text alone. */
function unitFraction(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}

/**
 * Milliseconds of a `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3); undefined if absent or invalid.
 * @param nowMs - Milliseconds since 1970, for dates.
 */
export function parseRetryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Dates start with a weekday; `Date.parse` alone would read "-5" as a year.
  const dateMs = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** True for statuses that may succeed on a retry. */
export function isRetriedStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}
