import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NgramTable } from '../../../stages/decontaminate/ngramTable.ts';
import { TextSpool } from '../../../stages/decontaminate/questionStore.ts';

/** Few different values, so that hashes meet, fill neighbouring slots and wrap around. */
const half = fc.constantFrom(0, 1, 2, 7, 0x8000_0000, 0xffff_fffe, 0xffff_ffff);
const entry = fc.record({ high: half, low: half, row: fc.nat(20) });

test('the table holds what a map of sets holds, up to the limit', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 1_000 }),
      fc.integer({ min: 1, max: 12 }),
      (entries, maxRows) => {
        const table = new NgramTable(maxRows);
        const expected = new Map<string, Set<number>>();
        const key = ({ high, low }: { high: number; low: number }) => `${high} ${low}`;
        for (const { row, ...hash } of entries) {
          table.add(hash, row);
          expected.set(key(hash), (expected.get(key(hash)) ?? new Set()).add(row));
        }
        for (const hash of entries) {
          const rows = [...expected.get(key(hash))!].sort((a, b) => a - b);
          expect(table.rowsOf(hash)).toEqual(rows.length > maxRows ? 'formula' : rows);
        }
        expect(table.rowsOf({ high: 3, low: 3 })).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('the table grows with what it holds', () => {
  const table = new NgramTable(10);
  const hashAt = (at: number) => ({
    high: Math.imul(at, 0x9e3779b1) >>> 0,
    low: Math.imul(at, 0x85ebca6b) >>> 0,
  });
  for (let at = 0; at < 100_000; at++) table.add(hashAt(at), at);
  for (let at = 0; at < 100_000; at++) expect(table.rowsOf(hashAt(at))).toEqual([at]);
  expect(table.entries).toBe(100_000);
  expect(table.bytes).toBeLessThan(100_000 * 30);
});

test('texts come back from the temporary file, whenever they are read', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 50 })),
      fc.array(fc.nat()),
      (texts, reads) => {
        const spool = new TextSpool();
        for (const [at, text] of texts.entries()) {
          expect(spool.add(text)).toBe(at);
          const earlier = (reads[at] ?? 0) % (at + 1);
          expect(spool.read(earlier)).toBe(texts[earlier]);
        }
        spool.close();
      },
    ),
    { numRuns: 100 },
  );
});

test('a text larger than the buffer comes back whole', () => {
  const spool = new TextSpool();
  const large = 'ä'.repeat(1_500_000);
  for (const text of ['before', large, 'after']) spool.add(text);
  expect([0, 1, 2].map((at) => spool.read(at))).toEqual(['before', large, 'after']);
  spool.close();
});
