import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NgramTable } from '../../../stages/decontaminate/wordHash.ts';

/** Few different values, so that hashes meet. */
const half = fc.constantFrom(0, 1, 2, 7, 0x8000_0000, 0xffff_ffff);
const entry = fc.record({ high: half, low: half.map((low) => (low << 11) >>> 0), row: fc.nat(20) });

test('the table holds what a map of sets holds, up to the limit', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 300 }), fc.integer({ min: 1, max: 12 }), (drawn, maxRows) => {
      const entries = drawn.toSorted((a, b) => a.row - b.row);
      const table = new NgramTable(maxRows);
      const expected = new Map<string, Set<number>>();
      const key = ({ high, low }: { high: number; low: number }) => `${high} ${low}`;
      for (const { row, ...hash } of entries) {
        table.add(hash, row);
        expected.set(key(hash), (expected.get(key(hash)) ?? new Set()).add(row));
      }
      for (const hash of entries) {
        const rows = [...expected.get(key(hash))!];
        expect(table.rowsOf(hash)).toEqual(rows.length > maxRows ? 'formula' : rows);
      }
      expect(table.rowsOf({ high: 3, low: 3 })).toEqual([]);
    }),
  );
});
