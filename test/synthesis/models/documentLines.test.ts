import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentLines } from '../../../synthesis/models/createSynthesisRoles.ts';

test('rows and paragraphs are lines, long ones are cut after sentences and not after abbreviated names', () => {
  const sentence = `It was laid out by J. Isherwood${' and others'.repeat(35)} in 1640.`;
  const text = `Founded | 1640\n\nBellhaven lies on Ostrand. So they say.\n${sentence} ${sentence}`;
  expect(documentLines(text, 5000)).toEqual([
    'Founded | 1640',
    'Bellhaven lies on Ostrand. So they say.',
    sentence,
    sentence,
  ]);
});

test('lines stand in the text, in its order, and nothing but white space is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const bare = (words: string) => words.replace(/\s/gu, '');
      const lines = documentLines(text, 1000);
      expect(lines.every((line) => text.includes(line) && line.trim() === line && line !== '')).toBe(true);
      expect(bare(lines.join(''))).toBe(bare(text));
    }),
  );
});
