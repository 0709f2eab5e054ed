import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalForm } from '../../schemas/normalForm.ts';
import { cases } from '../support/cases.ts';

const everyMark = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter(
  (character) => /[\p{M}\uff9e\uff9f]/u.test(character) && character !== '\u034f',
);
const marksOf = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...everyMark), minLength, maxLength });
const words = fc.string({ unit: 'binary' });

describe.each(['NFC', 'NFKC'] as const)('the normal form %s', (form) => {
  test('is what the runtime makes, but that long runs of marks are cut by U+034F', () => {
    fc.assert(
      fc.property(words, marksOf(0, 60), words, marksOf(65, 300), (word, few, other, many) => {
        const short = `${word}a${few}b${other}`;
        expect(normalForm(short, form)).toBe(short.normalize(form));
        const long = normalForm(`e${many}`, form);
        expect(long.normalize(form)).toBe(long);
        expect(long).toContain('\u034f');
        expect(long.replaceAll('\u034f', '').normalize(form)).toBe(`e${many}`.normalize(form));
      }),
      { numRuns: 100 },
    );
  });

  test('does not hang on hundreds of kilobytes of marks', () => {
    for (const unit of ['\u0301\u0316', '\u0344\u0334', '\uff9e\u0301', '\u{1d165}\u0316', 'a\u0301\u0316'])
      expect(normalForm(`e${unit.repeat(cases(500_000))}`, form).isWellFormed()).toBe(true);
  });
});
