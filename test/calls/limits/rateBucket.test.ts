import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateBucket, SPACED_MINUTE_MS } from '../../../calls/limits/rateBucket.ts';

const perMinute = fc.integer({ min: 1, max: 5000 });
const pauses = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 });

/** Times at which units are taken by somebody who wants one after each pause, and waits where it has to. */
function takeAfter(pausesMs: readonly number[], limit: number): number[] {
  const bucket = new RateBucket(limit, 0);
  let nowMs = 0;
  return pausesMs.map((pauseMs) => {
    nowMs += pauseMs;
    nowMs += bucket.waitMs(1, nowMs);
    expect(bucket.waitMs(1, nowMs)).toBe(0);
    bucket.take(1, nowMs);
    return nowMs;
  });
}

test('no minute holds more than the limit', () => {
  fc.assert(
    fc.property(perMinute, pauses, (limit, pausesMs) => {
      const times = takeAfter(pausesMs, limit);
      // The limit-th unit after one is a minute and the time to its arrival later, but for the rounding of sums.
      times.forEach((time, n) => {
        const later = times[n + limit];
        if (later !== undefined) expect(later - time).toBeGreaterThan(SPACED_MINUTE_MS - 1e-3);
      });
    }),
  );
});

test('who always wants the next gets nearly all of it', () => {
  fc.assert(
    fc.property(perMinute, (limit) => {
      const units = Math.min(limit * 3, 1000);
      const times = takeAfter(
        Array.from({ length: units }, () => 0),
        limit,
      );
      expect(units / (times.at(-1)! / 60_000 || 1)).toBeGreaterThan(limit * 0.95 - 1);
    }),
    { numRuns: 20 },
  );
});

test('what costs more than it holds is let through when it is full, and paid off', () => {
  const bucket = new RateBucket(600, 0);
  expect(bucket.waitMs(100, 0)).toBe(0);
  bucket.take(100, 0);
  expect(bucket.waitMs(1, 0)).toBeCloseTo((91 / 591) * SPACED_MINUTE_MS);
  bucket.take(-100, 0);
  expect(bucket.waitMs(1, 0)).toBe(0);
});
