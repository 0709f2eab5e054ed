import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reciprocalRankFusion } from '../../tools/wikiSearch/createLocalSearch.ts';
import { cosineOf, quantise, signsOf } from '../../tools/wikiSearch/dense/openDenseIndex.ts';

const rankings = fc.array(fc.uniqueArray(fc.nat(30)), { maxLength: 5 });
const numbersOf = (lists: readonly (readonly number[])[]) =>
  reciprocalRankFusion(lists).map(({ number }) => number);

test('ranks are fused by the sum of 1 / (60 + rank)', () => {
  expect(reciprocalRankFusion([[7, 3], [3]])).toEqual([
    { number: 3, score: 1 / 61 + 1 / 62 },
    { number: 7, score: 1 / 61 },
  ]);
  expect(reciprocalRankFusion([])).toEqual([]);
});

test('the order of the rankings makes no difference, equal scores included', () => {
  fc.assert(
    fc.property(rankings, fc.infiniteStream(fc.nat()), (lists, order) => {
      const keys = lists.map(() => order.next().value!);
      const shuffled = lists.map((_, at) => at).sort((a, b) => keys[a]! - keys[b]! || a - b);
      expect(reciprocalRankFusion(shuffled.map((at) => lists[at]!))).toEqual(reciprocalRankFusion(lists));
    }),
  );
});

test('holds each passage once, one ranking as it was, and what is first in all first', () => {
  fc.assert(
    fc.property(rankings, (lists) => {
      expect(numbersOf(lists).toSorted((a, b) => a - b)).toEqual(
        [...new Set(lists.flat())].sort((a, b) => a - b),
      );
      expect(numbersOf(lists.slice(0, 1))).toEqual(lists[0] ?? []);
      if (lists.length > 0) expect(numbersOf(lists.map((list) => [99, ...list]))[0]).toBe(99);
    }),
  );
});

const vector = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 40 })
  .map((values) => Float32Array.from(values))
  .filter((values) => Math.max(...values.map(Math.abs)) > 0.01);

test('a byte a dimension keeps a vector’s direction, a bit its signs', () => {
  fc.assert(
    fc.property(vector, (values) => {
      const bytes = quantise(values);
      expect(cosineOf(values, bytes)).toBeGreaterThan(0.999);
      const bits = signsOf(bytes);
      expect(bits).toHaveLength(Math.ceil(values.length / 8));
      for (const [at, value] of bytes.entries())
        expect((bits[at >> 3]! >> (at & 7)) & 1).toBe(value > 0 ? 1 : 0);
    }),
  );
});
