import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Shingler } from '../../../stages/dedup/shingles/shingler.ts';
import { cases } from '../../support/cases.ts';

function shinglesOf(text: string, size = 2, seed?: number): number[] {
  const shingler = new Shingler(size);
  const count = shingler.read(text, seed);
  return [...shingler.shingles.subarray(0, count)];
}

describe('shingles of two words', () => {
  test.each([
    ['The quick, brown fox.', 'the  QUICK\nbrown “fox”'],
    ['déjà vu', 'de\u0301ja\u0300 vu'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ ΟΔΟΣ', 'οδος οδος'],
    ['ﬁrst ofﬁce', 'first office'],
    ['１２ ＡＢ', '12 ab'],
    ['co\u00adoperate', 'cooperate'],
    ['zero\u200bwidth', 'zerowidth'],
    ['한국어 말', '한국어 말'],
    ['𝒳 equals 𝟙', 'x equals 1'],
    ['❤\ufe0f you', '❤ you'],
    ['wait… what', 'wait, what'],
    ['it is ½', 'It is 1⁄2!'],
  ])('%j reads as %j', (a, b) => {
    expect(shinglesOf(a)).toEqual(shinglesOf(b));
  });

  test.each([
    ['2 + 3', '2 - 3'],
    ['2 * 3', '2 / 3'],
    ['C++', 'C'],
    ['-5', '5'],
    ['north of Rome', 'south of Rome'],
    ['who', 'why'],
    ['😀', '😁'],
    ['?', '!'],
    ['', '?'],
    ['日本語', '日本人'],
    ['ab c', 'a bc'],
  ])('%j does not read as %j', (a, b) => {
    expect(shinglesOf(a)).not.toEqual(shinglesOf(b));
  });

  test.each(['NFC', 'NFD', 'NFKC', 'NFKD'])('a text in %s reads as the text itself', (form) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        expect(shinglesOf(text.normalize(form))).toEqual(shinglesOf(text));
      }),
      { numRuns: cases(3_000) },
    );
  });

  test('texts with other seeds have nothing in common', () => {
    const text = 'one two three four five six seven';
    const plain = new Set(shinglesOf(text));
    expect(shinglesOf(text, 2, 1).filter((shingle) => plain.has(shingle))).toEqual([]);
  });
});

test('equal shingles have equal hashes, others have others', () => {
  const word = fc.constantFrom('a', 'b', 'ab', 'ba', 'abc');
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 3, maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      (text, size) => {
        const hashes = shinglesOf(text.join(' '), size);
        const strings = hashes.map((_, at) => text.slice(at, at + size).join(' '));
        expect(hashes).toHaveLength(text.length - size + 1);
        const stringOf = new Map(hashes.map((hash, at) => [hash, strings[at]]));
        expect(hashes.map((hash) => stringOf.get(hash))).toEqual(strings);
        expect(stringOf.size).toBe(new Set(strings).size);
      },
    ),
    { numRuns: cases(2_000) },
  );
});

test('every character of a script without spaces is a word', () => {
  expect(shinglesOf('日本語です', 1)).toHaveLength(5);
  expect(shinglesOf('ภาษา', 1)).toHaveLength(4);
  expect(shinglesOf('abc日本', 1)).toHaveLength(3);
});

test('a text shorter than a shingle is one shingle, and no other text', () => {
  expect(shinglesOf('one', 5)).toHaveLength(1);
  expect(shinglesOf('one', 5)).not.toEqual(shinglesOf('one one', 5));
});

test('half a million combining marks are folded in time', () => {
  const marks = '\u0316\u0301'.repeat(250_000);
  expect(shinglesOf(`a${marks}`)).toHaveLength(1);
});
