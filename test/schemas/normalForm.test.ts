import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NormalForm, normalForm } from '../../schemas/normalForm.ts';
import { cases } from '../support/cases.ts';

const forms: readonly NormalForm[] = ['NFC', 'NFKC'];

const everyMark = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter(
  (character) => /\p{M}|[\uff9e\uff9f]/u.test(character),
);
/** Those of many classes, starters among the marks, marks that decompose, what joins U+034F, pairs and their halves. */
const awkward = [
  ...[
    '\u0301',
    '\u0316',
    '\u0334',
    '\u0345',
    '\u0344',
    '\u0f73',
    '\u0f81',
    '\u3099',
    '\uff9e',
    '\u034f',
    '\u200d',
  ],
  ...[
    'a',
    'é',
    'q\u0307',
    'が',
    '\u1100',
    '\u1161',
    '\ud800',
    '\udc00',
    '😀',
    '𝒜',
    '\u{1d15e}',
    '\u{1d165}',
    'ﬁ',
  ],
];
const piece = fc.oneof(
  fc.constantFrom(...awkward),
  fc.constantFrom(...everyMark),
  fc.string({ unit: 'binary' }),
);
const marks = fc
  .array(fc.constantFrom(...everyMark), { minLength: 30, maxLength: 300 })
  .map((run) => run.join(''));
const texts = fc.array(fc.oneof(piece, marks), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('the normal form', () => {
  test.each(forms)('is exactly what the runtime makes: %s', (form) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(normalForm(text, form)).toBe(text.normalize(form));
      }),
      { numRuns: 100 },
    );
  });

  test.each(forms)('is that of every mark in a long run: %s', (form) => {
    const backwards = everyMark.toReversed().join('');
    for (const text of [backwards, `é${backwards}`, everyMark.join('').repeat(3)]) {
      expect(normalForm(text, form)).toBe(text.normalize(form));
    }
  });

  test.each(forms)(
    'does not hang on hundreds of kilobytes of marks, and normalising twice changes nothing: %s',
    (form) => {
      for (const unit of [
        '\u0301\u0316',
        '\u0344\u0334',
        '\uff9e\u0301',
        '\u{1d165}\u0316',
        'a\u0301\u0316',
      ]) {
        const text = `e${unit.repeat(cases(500_000))}`;
        const normal = normalForm(text, form);
        expect(normal.isWellFormed()).toBe(true);
        expect(normalForm(normal, form)).toBe(normal);
      }
    },
  );
});
