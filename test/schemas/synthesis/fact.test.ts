import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashedText, placedFact } from '../../../schemas/synthesis/fact.ts';

const text = `# Bellhaven

Founder | Jonas Isherwood

Based on the novel "Un delitto d'onore" by Giovanni
Arpino. It won.`;

function placed(quote: string, document = text) {
  const fact = { quote, subject: 'it', relation: 'is', value: 'x', type: 'text' as const };
  return placedFact(fact, { id: 'd', title: 'it', address: 'a', ...hashedText(document) });
}

const copied: [string, string][] = [
  ['to the letter', 'Founder | Jonas Isherwood'],
  ['as a pair', 'Founder: Jonas Isherwood'],
  ['with other quotation marks, in one line', 'the novel “Un delitto d’onore” by Giovanni Arpino.'],
  ['cut short', 'based on the novel ...'],
];
test.each(copied)('a quote that was copied %s has its place, and the words of the document', (_, said) => {
  const { span, quote } = placed(said);
  expect(text.slice(...span)).toBe(quote);
  expect(quote.toLowerCase()).toMatch(/founder \| jonas isherwood|based on the novel|giovanni\narpino/);
});

test.each(['Founder Isherwood', 'novel by Giovanni', '...'])(
  'words that do not stand there so have none: %s',
  (said) => {
    expect(placed(said)).toMatchObject({ span: [-1, -1], quote: said });
  },
);

test('any run of words is found, whatever stands between them', () => {
  const word = fc.stringMatching(/^[a-zé0-9]{1,8}$/);
  const between = fc.constantFrom(' ', '\n', ' | ', ', ', ' — ');
  const pieces = fc.array(fc.tuple(word, between), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.nat(), fc.nat(), (parts, from, many) => {
      const start = from % parts.length;
      const words = parts.slice(start, start + 1 + (many % parts.length)).map(([one]) => one);
      const document = parts.flat().join('');
      const { span, quote } = placed(words.join(' '), document);
      expect(document.slice(...span)).toBe(quote);
      expect(quote.match(/[\p{L}\p{N}]+/gu)).toEqual(words);
    }),
  );
});
