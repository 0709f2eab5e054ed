import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareEstimate, shareInterval } from '../../../base/statistics/estimates.ts';
import { firstHitEstimates, type Tries } from '../../../base/statistics/firstHits.ts';

const hit = (at: number): Tries => ({ tries: at, hit: at });
const none = (tries: number): Tries => ({ tries, hit: undefined });

test("Kaplan and Meier's estimate and Greenwood's variance are those of the textbooks' example", () => {
  // Weeks of remission under 6-MP (Freireich 1963; Kleinbaum and Klein, Survival Analysis, chapter 2).
  const hits = [6, 6, 6, 7, 10, 13, 16, 22, 23].map(hit);
  const censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map(none);
  const estimateAt = firstHitEstimates([...hits, ...censored]);
  for (const [week, without, error] of [
    [6, 0.857, 0.0764],
    [7, 0.807, 0.0869],
    [10, 0.753, 0.0963],
    [13, 0.69, 0.1068],
    [16, 0.627, 0.1141],
    [22, 0.538, 0.1282],
    [23, 0.448, 0.1346],
  ] as const) {
    const { value, low, high } = estimateAt(week)!;
    expect(1 - value).toBeCloseTo(without, 3);
    // As of so many that the error stands for (Rothman 1978).
    const share = shareInterval(1 - without, (without * (1 - without)) / error ** 2);
    expect(low).toBeCloseTo(share.low, 2);
    expect(high).toBeCloseTo(share.high, 2);
  }
  expect(estimateAt(5)).toEqual(shareEstimate(0, 21));
  expect(estimateAt(36)).toBeUndefined();
  expect(firstHitEstimates([])(1)).toBeUndefined();
});

const series = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 8 }).map(hit),
    fc.integer({ min: 1, max: 8 }).map(none),
    fc.constant({ tries: 8, hit: 3 }),
  ),
  { minLength: 1, maxLength: 30 },
);

test('where nothing ended early it is the plain share; order and things without a try do not matter', () => {
  fc.assert(
    fc.property(series, (things) => {
      const whole = things.map(({ tries, hit: at }) => ({ tries: at === undefined ? 8 : tries, hit: at }));
      const [estimateAt, reversed] = [
        firstHitEstimates(things),
        firstHitEstimates([none(0), ...things].reverse()),
      ];
      let before = 0;
      for (let k = 1; k <= 8; k++) {
        const share = shareEstimate(whole.filter(({ hit: at = 9 }) => at <= k).length, whole.length)!;
        const plain = firstHitEstimates(whole)(k)!;
        for (const of of ['value', 'low', 'high'] as const) expect(plain[of]).toBeCloseTo(share[of], 10);
        const estimate = estimateAt(k);
        expect(reversed(k)).toEqual(estimate);
        if (!estimate) continue;
        const { value, low, high } = estimate;
        // What ended early can only have hit later: no fewer hits than were seen.
        expect(value).toBeGreaterThanOrEqual(
          things.filter(({ hit: at = 9 }) => at <= k).length / things.length - 1e-9,
        );
        expect(value).toBeGreaterThanOrEqual(before - 1e-12);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
        expect(0 <= low && high <= 1).toBe(true);
        before = value;
      }
    }),
    { numRuns: 300, seed: 3 },
  );
});
