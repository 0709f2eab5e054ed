import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseModelJson } from '../../schemas/parseModelJson.ts';
import { cases } from '../support/cases.ts';

test('raw line feeds and tabs in strings are what they mean', () => {
  expect(parseModelJson('{"code": "a = 1\n\tprint(a)"}')).toEqual({
    ok: true,
    value: { code: 'a = 1\n\tprint(a)' },
  });
});

test('any object whose strings came unescaped is read as it was meant', () => {
  const written = (value: Record<string, string>) =>
    JSON.stringify(value).replace(/\\([nrtbf])/g, (_, letter: string) => JSON.parse(`"\\${letter}"`));
  // A backslash before such a letter would be another text.
  const text = fc.string({ unit: fc.constantFrom('a', '"', '{', ',', '\n', '\t', '\r', 'é', ' ') });
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), text), (value) => {
      expect(parseModelJson(written(value))).toEqual({ ok: true, value });
    }),
    { numRuns: cases(2000) },
  );
});

test.each(['{"a": 1,}', '{"a": "b', "{'a': 1}", '', '{"a": "b"\n"c": "d"}'])('%j is not fixed', (text) => {
  expect(parseModelJson(text).ok).toBe(false);
});

test('what JSON.parse takes is taken the same way', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseModelJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});
