import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaleOf, smoothed } from '../../viewer/pages/chart/scale.ts';

const size = fc.double({ noNaN: true, min: 1e-9, max: 1e9 });

test('an axis has a few labels, all of them within its ends', () => {
  fc.assert(
    fc.property(size, size, fc.boolean(), (one, other, isLog) => {
      const [least, most] = [Math.min(one, other), Math.max(one, other)];
      fc.pre(most - least > most * 1e-6);
      const { place, ticks } = scaleOf(least, most, isLog);
      expect(ticks.length).toBeLessThanOrEqual(7);
      for (const at of ticks.map(place)) expect(at >= -1e-6 && at <= 1 + 1e-6).toBe(true);
      expect([place(least), place(most)]).toEqual([0, 1]);
    }),
  );
});

test.each([
  [0, 100, false, [0, 20, 40, 60, 80, 100]],
  [0.5, 2_000, true, [1, 10, 100, 1_000]],
  [1, 9, true, [1, 2, 5]],
  [-1, 1, true, [-1, -0.5, 0, 0.5, 1]],
] as const)('from %d to %d, logarithmic %s, are labelled %j', (least, most, isLog, ticks) => {
  expect(scaleOf(least, most, isLog).ticks).toEqual(ticks);
});

test('smoothing keeps a constant, keeps gaps, and without weight changes nothing', () => {
  expect(smoothed([3, null, 3, 3], 0.9).map((value) => value && Number(value.toFixed(9)))).toEqual([
    3,
    null,
    3,
    3,
  ]);
  expect(smoothed([1, 5, null, 2], 0)).toEqual([1, 5, null, 2]);
});
