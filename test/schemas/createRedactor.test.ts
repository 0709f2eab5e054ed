import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../schemas/createRedactor.ts';
import { cases } from '../support/cases.ts';
import { keyEncodings, tracesOf } from '../support/keyEncodings.ts';

const key = 'sk-Qp7_x9RtB2+vLm4/Zc8Yw1Kd6Hf3Nj5=';
const redactor = createRedactor([key]);

describe('each encoding of a key is taken out', () => {
  test.each(Object.entries(keyEncodings))('%s', (_name, encode) => {
    const text = `before (${encode(key)}) after`;
    const redacted = redactor.text(text);
    expect(redacted).toContain('[key]');
    expect(tracesOf(key, redacted)).toEqual([]);
    const value = { deep: [{ [encode(key)]: 1, list: ['x', { text }] }], count: 3, none: null };
    const clean = redactor.json(value);
    expect(tracesOf(key, JSON.stringify(clean))).toEqual([]);
    expect(clean).toMatchObject({ count: 3, none: null, deep: [{ list: ['x', { text: redacted }] }] });
    expect(redactor.json({ [encode(key)]: 1 })).not.toHaveProperty([encode(key)]);
  });

  test('for keys of any letters, in any text', () => {
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.');
    const keys = fc.string({ unit: letter, minLength: 20, maxLength: 80 });
    const encoding = fc.constantFrom(...Object.entries(keyEncodings));
    fc.assert(
      fc.property(keys, fc.string(), encoding, fc.string(), (secret, before, [, encode], after) => {
        // One that looks like a path is looked for as a whole only.
        fc.pre(/^[^/.]/.test(secret) && /\d/.test(secret) && !tracesOf(secret, `${before}${after}`).length);
        const clean = createRedactor([secret]).text(`${before} ${encode(secret)} ${after}`);
        // Small letters alone may be the words of any text: a masked key may end in them.
        expect(tracesOf(secret, clean).filter((trace) => !/^[a-z]{8}$/.test(trace))).toEqual([]);
      }),
      { numRuns: cases(300, 'COA_REDACTED_TEXTS') },
    );
  });

  test('also one character a member, and one number a character', () => {
    const value = { characters: [...key], codes: [...Buffer.from(key)], rest: ['a', 'b', 1, 2] };
    expect(redactor.json(value)).toEqual({ characters: ['[key]'], codes: ['[key]'], rest: ['a', 'b', 1, 2] });
    expect(createRedactor(['pin-1234567890123']).json({ n: 1234567890123 })).toEqual({ n: '[key]' });
  });
});

test('JSON in a string stays JSON', () => {
  const args = JSON.stringify({ code: `print("${key}")`, n: [1, 2] }).replaceAll('=', '\\u003d');
  const clean = JSON.parse(redactor.text(args)) as { code: string };
  expect(clean).toEqual({ code: 'print("[key]")', n: [1, 2] });
});

describe('what is no key stays as it is', () => {
  test('any text and value that shares no run with the key', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        // Equal, not the same: what looks like a key at first sight is built again.
        expect(redactor.json(value)).toEqual(value);
        expect(redactor.text(text)).toBe(text);
      }),
    );
  });

  test('placeholders, words of a key and parts of addresses', () => {
    const words = createRedactor([
      'EMPTY',
      'ollama',
      'local-password-2024',
      '/srv/shared/data',
      'https://a.example/x',
    ]);
    const text = 'EMPTY ollama, local password or password; /srv/shared/ and https://a.example/y';
    expect(words.text(text)).toBe(text);
    expect(words.text('at /srv/shared/data: https://a.example/x local-password-2024')).toBe(
      'at [key]: [key] [key]',
    );
  });

  test('a value nested 100,000 deep is left out', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) as unknown;
    expect(redactor.json(deep)).toBe('[key]');
  });
});
