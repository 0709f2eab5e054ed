import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteLevelEncoder } from '../../../output/tokenizers/byteLevel/byteLevelEncoder.ts';
import { byteLevelVocabulary } from '../../../output/tokenizers/byteLevel/byteLevelVocabulary.ts';
import { hashUnits, longestKeptPiece } from '../../../output/tokenizers/byteLevel/pieceCache.ts';
import { huggingFaceText } from '../../../output/tokenizers/huggingFaceText.ts';
import { encodeApartAndWhole } from '../../../output/tokenizers/ordinaryText.ts';
import { propertyRuns } from '../../support/cases.ts';
import { llamaLikeJson, qwenJson } from '../support/qwenTokenizer.ts';
import { trapText } from '../support/trapText.ts';

const examples = path.resolve(import.meta.dirname, '../../../examples');
const qwen = new ByteLevelEncoder(byteLevelVocabulary(qwenJson)!);
const reference = huggingFaceText(qwenJson);

describe('ids equal those of Hugging Face’s tokenizers', () => {
  test('on traps, with Qwen’s file', async () => {
    await fc.assert(
      fc.asyncProperty(trapText, async (text) => {
        const ids = qwen.encode(text);
        expect(firstDifference(ids, await reference.encode(text))).toBe(-1);
        expect(qwen.decode(ids)).toBe(text);
      }),
      { numRuns: propertyRuns },
    );
  });

  test('on traps, with a file of Llama 3’s kind', async () => {
    const llama = new ByteLevelEncoder(byteLevelVocabulary(llamaLikeJson)!);
    const expected = huggingFaceText(llamaLikeJson);
    await fc.assert(
      fc.asyncProperty(trapText, async (text) => {
        expect(firstDifference(llama.encode(text), await expected.encode(text))).toBe(-1);
      }),
      { numRuns: propertyRuns },
    );
  });

  test('on the bundled examples', async () => {
    const files = globSync('**/*.{jsonl,md,html,py}', { cwd: examples }).slice(0, 300);
    const text = files
      .map((file) => readFileSync(path.join(examples, file), 'utf8'))
      .join('\n')
      .normalize('NFC');
    const part = text.slice(0, 1_500_000).toWellFormed();
    expect(part.length).toBeGreaterThan(100_000);
    expect(firstDifference(qwen.encode(part), await reference.encode(part))).toBe(-1);
  });

  test.each([
    ['one word of 300,000 letters', lettersOf(300_000)],
    ['a run of 300,000 spaces', ' '.repeat(300_000)],
    ['300,000 times one letter, then another', `${'a'.repeat(300_000)}b`],
    ['a run of signs outside the first plane', '𝒳🤖'.repeat(20_000)],
  ])('in no more than n log n time: %s', async (_, text) => {
    expect(firstDifference(qwen.encode(text), await reference.encode(text))).toBe(-1);
  });
});

describe('texts side by side', () => {
  const cutText = fc.tuple(trapText, fc.array(fc.nat(), { maxLength: 5 })).map(([text, cuts]) => {
    const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
    return places.slice(1).map((end, at) => text.slice(places[at]!, end));
  });
  const encode = async (text: string) => qwen.encode(text);

  test('have ids only if apart and whole agree, and then those', async () => {
    let seamless = 0;
    await fc.assert(
      fc.asyncProperty(cutText, async (texts) => {
        fc.pre(texts.every((text) => text.isWellFormed()));
        const together = qwen.encodeSideBySide(texts);
        if (together === undefined) return;
        seamless += texts.length > 1 ? 1 : 0;
        expect(together).toEqual(await encodeApartAndWhole(texts, encode));
      }),
      { numRuns: propertyRuns },
    );
    expect(seamless).toBeGreaterThan(propertyRuns / 10);
  });

  test.each([
    [['<a>\n', '<b>'], true],
    [['<a>\n\n', '', '<b>'], true],
    [['one', 'word'], false],
    [['two spaces  ', '1'], false],
    [['  \n ', '\n'], false],
    [['it', "'", 's'], false],
    [['12', '3'], true],
    [['a', ' b'], true],
    [['a ', 'b'], false],
  ])('%j', async (texts, seamless) => {
    expect(qwen.encodeSideBySide(texts) !== undefined).toBe(seamless);
  });
});

describe('what was encoded before changes no id', () => {
  test('when the cache overflows', () => {
    const fresh = new ByteLevelEncoder(byteLevelVocabulary(qwenJson)!);
    // Known words fill the keys, so that after the overflow ids are overwritten while their old keys still stand.
    fresh.encode(readFileSync(path.join(examples, '../docs/formats.md'), 'utf8'));
    const text = Array.from({ length: 50 }, (_, word) => ` ${lettersOf(9, word)}`).join('');
    const before = fresh.encode(text);
    for (let pieces = 0; pieces < 4_000; pieces += 20) {
      for (let piece = pieces; piece < pieces + 20; piece++) fresh.encode(privateUse(piece));
      expect(fresh.encode(text)).toEqual(before);
    }
  });

  test('when pieces have equal hashes', () => {
    const fresh = new ByteLevelEncoder(byteLevelVocabulary(qwenJson)!);
    const pairs = collidingWords(200_000);
    expect(pairs.length).toBeGreaterThan(0);
    for (const [first, second] of pairs) {
      fresh.encode(first);
      expect(fresh.decode(fresh.encode(second))).toBe(second);
    }
  });
});

/** A piece as long as the cache takes, another for each number, three ids for each of its characters. */
function privateUse(number: number): string {
  const digits = number.toString(2).padStart(16, '0').replaceAll('0', '\ue001').replaceAll('1', '\ue002');
  return '\ue000'.repeat(longestKeptPiece - digits.length) + digits;
}

/** Words of eight letters whose hashes are the same. */
function collidingWords(words: number): [string, string][] {
  const known = new Map<number, string>();
  const pairs: [string, string][] = [];
  for (let seed = 0; seed < words; seed++) {
    const word = lettersOf(8, seed * 7_919);
    const units = Uint16Array.from({ length: 8 }, (_, at) => word.charCodeAt(at));
    const hash = hashUnits(units, 0, 8);
    const other = known.get(hash);
    if (other !== undefined && other !== word) pairs.push([other, word]);
    known.set(hash, word);
  }
  return pairs;
}

function firstDifference(a: Uint32Array, b: Uint32Array): number {
  const at = a.findIndex((id, index) => id !== b[index]);
  return at < 0 && a.length !== b.length ? a.length : at;
}

/** Letters in no order that a vocabulary knows. */
function lettersOf(length: number, seed = 1): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + ((state >> 8) % 26));
  }).join('');
}
