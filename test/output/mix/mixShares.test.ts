import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Asked, rowsOfShares } from '../../../output/mix/mixShares.ts';

const shared = fc.record({
  share: fc.double({ min: 0.01, max: 0.3, noNaN: true }),
  available: fc.nat(500),
});
const fixed = fc.record({ rows: fc.integer({ min: 1, max: 300 }), available: fc.nat(500) });

test('no file gives more than it has, and every share that can be filled holds to a row', () => {
  const asked = fc.array(fc.oneof(shared, fixed), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(asked, fc.nat(1000), (files: Asked[], own) => {
      const taken = rowsOfShares(files, own);
      const total = own + taken.reduce((sum, rows) => sum + rows, 0);
      for (const [at, { share, rows, available }] of files.entries()) {
        expect(taken[at]).toBeLessThanOrEqual(available!);
        if (rows !== undefined) expect(taken[at]).toBe(Math.min(rows, available!));
        // Each of the files rounds by half a row.
        else if (taken[at]! < available!) expect(Math.abs(taken[at]! - share! * total)).toBeLessThan(1.5);
      }
    }),
  );
});

test('a file of which neither is asked gives all rows', () => {
  expect(rowsOfShares([{ available: 7 }, { share: 0.5, available: 100 }], 3)).toEqual([7, 10]);
});
