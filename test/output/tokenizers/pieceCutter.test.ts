import fc from 'fast-check';
import { Tokenizer as HuggingFace, nfcNormalizer, type PreTokenizer } from 'tokenizers';
import { describe, expect, test } from 'vitest';
import { PieceCutter } from '../../../output/tokenizers/byteLevel/pieceCutter.ts';
import {
  characterClasses,
  letter,
  lineEnd,
  number,
  space,
  surrogate,
} from '../../../output/tokenizers/byteLevel/unicodeRanges.ts';
import { propertyRuns } from '../../support/cases.ts';
import { piecePattern } from '../support/qwenTokenizer.ts';
import { trapText } from '../support/trapText.ts';

const classes = characterClasses();

describe.each([
  ['Qwen', 1, piecePattern('\\p{N}')],
  ['Llama 3', 3, piecePattern('\\p{N}{1,3}')],
])('text is cut as Hugging Face’s regular expression cuts it: %s', (_, digits, pattern) => {
  const reference = split(pattern);
  const cutter = new PieceCutter(classes, digits);

  test('on traps', () => {
    fc.assert(
      fc.property(trapText, (text) => {
        expect(cut(cutter, text)).toEqual(piecesOf(reference, text));
      }),
      { numRuns: propertyRuns },
    );
  });

  test('on every short text over the signs that matter', () => {
    const signs = ['a', 'S', "'", '1', ' ', '\t', '\n', '\r', '!', '𝒳', '😀'];
    const texts = signs.flatMap((a) =>
      signs.flatMap((b) => signs.flatMap((c) => signs.map((d) => a + b + c + d))),
    );
    for (const text of texts) expect(cut(cutter, text)).toEqual(piecesOf(reference, text));
  });

  test('on every letter of the first plane behind an apostrophe', () => {
    const letters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code));
    for (const ending of ['b', 'e']) {
      const text = letters.map((sign) => `'${sign}${ending} `).join('');
      expect(cut(cutter, text)).toEqual(piecesOf(reference, text));
    }
  });
});

test.each([
  ['\\p{L}', (kind: number) => kind === letter],
  ['\\p{N}', (kind: number) => kind === number],
  ['\\s', (kind: number) => kind === space || kind === lineEnd],
  ['[\\r\\n]', (kind: number) => kind === lineEnd],
])('every code point is classed as Hugging Face’s %s', (pattern, belongs) => {
  const reference = split(pattern);
  // A combining mark is in none of the classes: each match stands alone between two.
  const mark = '\u0300';
  const differing: string[] = [];
  for (let block = 0; block < 0x110000; block += 0x1000) {
    const signs = Array.from({ length: 0x1000 }, (_, at) => block + at).filter(
      (code) => classes[code] !== surrogate,
    );
    const text = signs.map((code) => String.fromCodePoint(code) + mark).join('');
    const matched = new Set(piecesOf(reference, text).filter((piece) => [...piece].length === 1));
    for (const code of signs) {
      if (matched.has(String.fromCodePoint(code)) !== belongs(classes[code]!))
        differing.push(code.toString(16));
    }
  }
  expect(differing.filter((code) => code !== '300')).toEqual([]);
});

describe('Node’s normal form is one that Hugging Face leaves as it is', () => {
  const normalizer = nfcNormalizer();

  test('with every mark beside marks of other classes', () => {
    const marks = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((sign) => /\p{M}/u.test(sign));
    const others = ['\u0301', '\u0323', '\u0345', '\u05b0', '\u3099', '\u0338', '\u093c'];
    const text = marks
      .flatMap((sign) =>
        others.flatMap((mark) => [`a${sign}${mark}x`, `e${mark}${sign}y`, `あ${sign}${mark}\u0301`]),
      )
      .join('')
      .normalize('NFC');
    expect(normalizer.normalizeString(text) === text).toBe(true);
  });

  test('with any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), trapText, (a, b) => {
        const text = (a + b).toWellFormed().normalize('NFC');
        expect(normalizer.normalizeString(text)).toBe(text);
      }),
      { numRuns: propertyRuns },
    );
  });
});

function cut(cutter: PieceCutter, text: string): string[] {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const pieces: string[] = [];
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = cutter.next(units, at, text.length);
    pieces.push(text.slice(at, end));
  }
  return pieces;
}

/** Hugging Face's own splitter by a regular expression. */
function split(Regex: string): PreTokenizer {
  return HuggingFace.fromString(
    JSON.stringify({
      version: '1.0',
      added_tokens: [],
      pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
      model: { type: 'BPE', vocab: {}, merges: [] },
    }),
  ).getPreTokenizer()!;
}

function piecesOf(splitter: PreTokenizer, text: string): string[] {
  return splitter.preTokenizeString(text).map(([piece]) => piece);
}
