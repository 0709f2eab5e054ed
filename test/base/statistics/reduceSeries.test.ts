import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reduceSeries, type SeriesPoint } from '../../../base/statistics/reduceSeries.ts';

const reduce = (points: readonly SeriesPoint[], most: number) => reduceSeries(points, most, (point) => point);

const value = fc.option(fc.double({ noNaN: true, min: -1e6, max: 1e6 }));
const series = fc.array(value).map((values) => values.map((mean, at): SeriesPoint => [at, mean]));

/** The least and the most of what points stand for. */
function reach(points: readonly SeriesPoint[]): (number | undefined)[] {
  const ends = points.flatMap(([, mean, least = mean, most = mean]) =>
    mean === null ? [] : [least!, most!],
  );
  return ends.length === 0 ? [] : [Math.min(...ends), Math.max(...ends)];
}

test('a reduced series has few points and the least and the most of all, however often it is reduced', () => {
  fc.assert(
    fc.property(series, fc.integer({ min: 2, max: 20 }), (points, most) => {
      const reduced = reduce(points, most);
      expect(reduced.length).toBeLessThanOrEqual(most);
      expect(reach(reduced)).toEqual(reach(points));
      for (const end of [0, -1]) expect(reduced.at(end)?.[0]).toBe(points.at(end)?.[0]);
      expect(reduced).toEqual(reduced.toSorted(([a], [b]) => a - b));
      expect(reach(reduce(reduced, 3))).toEqual(reach(points));
    }),
  );
});

test('one step in a million stands out, in its place, and a stretch without a number is a gap', () => {
  const points = Array.from({ length: 1e6 }, (_, at): SeriesPoint => [at, at === 500_400 ? 90 : 1]);
  for (let at = 0; at < 5_000; at++) points[at] = [at, null];
  const reduced = reduce(points, 1_000);
  expect(reduced.filter(([, , , most]) => most === 90)).toEqual([[500_400, expect.closeTo(1.089), 1, 90]]);
  expect(reduced.slice(0, 6).map(([, mean]) => mean)).toEqual([null, null, null, null, null, 1]);
});
