import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isRetriedStatus,
  MAX_RETRY_WAIT_MS,
  parseRetryAfterMs,
  retryWaitMs,
} from '../../../contract/retryPolicy.ts';

const nowMs = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');

describe('Retry-After', () => {
  test.each([
    ['3', 3000],
    [' 0 ', 0],
    ['1.5', 1500],
    ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['1000000000000', 1e15],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['1e12', undefined],
    ['Fri, 31 Dec 99999999 23:59:59 GMT', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j is %j ms', (header, expected) => {
    expect(parseRetryAfterMs(header, nowMs)).toBe(expected);
  });
});

describe('the wait before a retry', () => {
  const anyWait = fc.record({
    attempt: fc.nat(40),
    requestHash: fc.string(),
    retryAfterMs: fc.oneof(fc.nat(1_000_000), fc.constantFrom(undefined, 1e15, Number.POSITIVE_INFINITY)),
  });

  test('is the same for the same request, and within its bounds', () => {
    fc.assert(
      fc.property(anyWait, (wait) => {
        const ms = retryWaitMs(wait);
        expect(ms).toBe(retryWaitMs({ ...wait }));
        expect(ms).toBeLessThanOrEqual(MAX_RETRY_WAIT_MS);
        expect(ms).toBeGreaterThanOrEqual(Math.min(MAX_RETRY_WAIT_MS, wait.retryAfterMs ?? 100));
      }),
    );
  });

  test('grows and differs between requests', () => {
    const at = (attempt: number, requestHash: string) =>
      retryWaitMs({ attempt, requestHash, retryAfterMs: undefined });
    expect(at(4, 'a')).toBeGreaterThan(at(0, 'a'));
    expect(new Set(['a', 'b', 'c', 'd'].map((hash) => at(3, hash))).size).toBe(4);
  });
});

test.each([
  [408, true],
  [409, true],
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [401, false],
  [404, false],
])('status %i is retried: %s', (status, retried) => {
  expect(isRetriedStatus(status)).toBe(retried);
});
