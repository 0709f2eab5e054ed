import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NgramTable } from '../../../stages/decontaminate/wordHash.ts';

/** Few different values, so that hashes meet. */
const hashes = fc.constantFrom(0, 1, 64, 7, 2 ** 52, 2 ** 53 - 1);
const entry = fc.record({ hash: hashes, row: fc.nat(20) });

test('the table holds what a map of sets holds, up to the limit', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 300 }), fc.integer({ min: 1, max: 12 }), (drawn, maxRows) => {
      const entries = drawn.toSorted((a, b) => a.row - b.row);
      const table = new NgramTable(maxRows);
      const expected = new Map<number, Set<number>>();
      for (const { row, hash } of entries) {
        table.add(hash, row);
        expected.set(hash, (expected.get(hash) ?? new Set()).add(row));
      }
      for (const { hash } of entries) {
        const rows = [...expected.get(hash)!];
        expect(table.rowsOf(hash)).toEqual(rows.length > maxRows ? 'formula' : rows);
      }
      expect(table.rowsOf(3)).toEqual([]);
    }),
  );
});
