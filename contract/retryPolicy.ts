import { sha256Hex } from '../base/ids.ts';

/** First wait of the exponential back-off. */
const BASE_WAIT_MS = 200;
/**
 * Longest wait of the back-off where the endpoint names none. It is for faults that hit single requests; an endpoint
 * that only fails is waited for by the circuit breaker of its limits, for longer and without using up retries.
 */
const MAX_BACKOFF_MS = 2000;

/** Longest `Retry-After` that is obeyed. */
export const MAX_RETRY_WAIT_MS = 120_000;

/** What a wait before a retry depends on. */
interface RetryWait {
  /** Retries made so far, from 0. */
  readonly attempt: number;
  /** Makes the jitter of a request the same on every machine, and different between requests. */
  readonly requestHash: string;
  /** What the endpoint asked for, if it did. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Milliseconds to wait before a retry: what the endpoint asked for, capped; otherwise exponential back-off, of which
 * the upper half is jitter. Never longer than `MAX_RETRY_WAIT_MS`.
 */
export function retryWaitMs({ attempt, requestHash, retryAfterMs }: RetryWait): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, BASE_WAIT_MS * 2 ** attempt);
  const jitteredMs = Math.round(backoffMs * (0.5 + 0.5 * unitFraction(`${requestHash}:${attempt}`)));
  return Math.min(MAX_RETRY_WAIT_MS, Math.max(jitteredMs, retryAfterMs ?? 0));
}

/** A number from 0 up to 1 that depends on the text alone. */
function unitFraction(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
}

/**
 * Milliseconds that a `Retry-After` header asks for: seconds or an HTTP date (RFC 9110, 10.2.3); undefined when it is
 * absent or neither.
 *
 * @param nowMs - Milliseconds since 1970, for dates.
 */
export function parseRetryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Dates begin with a day's name; `Date.parse` alone would read "-5" as a year.
  const dateMs = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** True for the answers that a later attempt may turn into good ones. */
export function isRetriedStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}
