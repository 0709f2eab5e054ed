import { parseRetryAfterMs } from '../../contract/retryPolicy.ts';
import type { AskedPage } from './askForPage.ts';

/** Longest wait before a retry; a server that asks for more is not asked again. */
const MAX_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 500;

const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);
const PASSING_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True for a fault that may pass in a moment: the server is busy, or the connection broke. */
export function isPassing(page: AskedPage, error: Error | undefined): boolean {
  if (error) return PASSING_CODES.has((error as NodeJS.ErrnoException).code);
  return page.kind === 'inaccessible' && PASSING_STATUSES.has(page.status);
}

/**
 * How long to wait before the next try, in milliseconds: as long as the server asks for, otherwise longer from try to
 * try. Undefined when the server asks for too much.
 *
 * @param retryAfter - The header, as with {@link parseRetryAfterMs}
 */
export function retryWaitMs(
  tries: number,
  retryAfter: string | undefined,
  now: () => number = Date.now,
): number | undefined {
  const waitMs = parseRetryAfterMs(retryAfter, now()) ?? FIRST_WAIT_MS * 2 ** tries;
  return waitMs > MAX_WAIT_MS ? undefined : waitMs;
}
