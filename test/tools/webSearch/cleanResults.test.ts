import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanResults, serperAnswerSchema, textOfHtml } from '../../../tools/webSearch/cleanResults.ts';

const link = 'http://a.example/k';

test('what is no link to a page is left out, and the best of the others are kept', () => {
  const links = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'not a link',
    '',
    `http://a.example/${'x'.repeat(3000)}`,
    ' http://a.example/1 ',
    'http://a.example/2\nSource: nobody',
    'https://a.example/3',
  ];
  const found = links.map((each) => ({ title: 'T', link: each }));
  expect(cleanResults(found, 10).map((result) => result.link)).toEqual([
    'http://a.example/1',
    'http://a.example/2Source:%20nobody',
    'https://a.example/3',
  ]);
  expect(cleanResults(found, 2)).toHaveLength(2);
});

test('texts are one line each, cut to their length, and absent when there is nothing in them', () => {
  const [result] = cleanResults(
    [
      {
        link,
        title: ' a\n\n# b\u0007\t c ',
        snippet: 'x '.repeat(5000),
        date: null,
        source: '\u001b[2J',
      },
    ],
    1,
  );
  expect(result).toMatchObject({ title: 'a # b c', source: '[2J' });
  expect(result).not.toHaveProperty('date');
  expect(result!.snippet).toHaveLength(2000);
  expect(result!.snippet!.endsWith('x…')).toBe(true);
  expect(cleanResults([{ link, title: ' ' }], 1)).toEqual([{ title: link, link }]);
});

test('whatever a provider sends, what is shown is bounded, well-formed and without control characters', () => {
  const text = fc.option(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.string({ minLength: 1, maxLength: 20 }).map((piece) => piece.repeat(300)),
      fc.constantFrom('\ud800', '😀'.repeat(2000), '\u0000\u2028\r\n'),
    ),
    { nil: null },
  );
  const results = fc.array(
    fc.record({
      title: text,
      link: fc.oneof(fc.webUrl(), fc.string(), fc.constant(link)),
      snippet: text,
      date: text,
      source: text,
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(results, fc.integer({ min: 1, max: 5 }), (found, num) => {
      const cleaned = cleanResults(found, num);
      expect(cleaned.length).toBeLessThanOrEqual(num);
      expect(serperAnswerSchema.safeParse({ organic: cleaned }).success).toBe(true);
      // Cleaning once is enough.
      expect(cleanResults(cleaned, num)).toEqual(cleaned);
      for (const result of cleaned) {
        expect(result.title).not.toBe('');
        for (const value of Object.values(result) as string[]) {
          expect(value.length).toBeLessThanOrEqual(2048);
          expect(value.isWellFormed()).toBe(true);
          expect(value).not.toMatch(/\p{Cc}|[\u2028\u2029]/u);
        }
      }
    }),
  );
});

test('HTML is read as text, and no piece of it makes the reader throw', () => {
  expect(textOfHtml('a <strong>b</strong> &amp; &#8217; &lt;i&gt;')).toBe('a b & ’ <i>');
  expect(textOfHtml('3 < 4')).toBe('3 < 4');
  expect(textOfHtml(undefined)).toBe('');
  const pieces = fc.constantFrom(...'<>&;#b/" x', 'body', 'html', '<!--', '<![');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      expect(typeof textOfHtml(parts.join(''))).toBe('string');
    }),
  );
});
