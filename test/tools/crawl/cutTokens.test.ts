import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutTokens } from '../../../tools/crawlPage/cutTokens.ts';
import { cutChars } from '../../../tools/crawlPage/pageText.ts';
import { qwen } from '../../output/support/qwen.ts';

const cut = (text: string, maxTokens: number) => cutTokens(text, maxTokens, async () => qwen);
const tokensOf = async (text: string) => (await qwen.encode(text)).length;

describe('a text cut to tokens', () => {
  test('is the beginning of the text, as long as it may be', async () => {
    const text = 'The island of Kessa has 1,200 people. '.repeat(2000);
    const { text: beginning, cut: isCut } = await cut(text, 5000);
    expect(isCut).toBe(true);
    expect(text.startsWith(beginning)).toBe(true);
    expect(await tokensOf(beginning)).toBe(5000);
  });

  test('is whole when it is short, and then nothing is counted', async () => {
    const none = () => Promise.reject(new Error('not needed'));
    expect(await cutTokens('ä'.repeat(10), 20, none)).toEqual({ text: 'ä'.repeat(10), cut: false });
    expect(await cut('word '.repeat(30), 60)).toEqual({ text: 'word '.repeat(30), cut: false });
  });

  test('is found in time that grows with the text, whatever marks its characters have', async () => {
    const { text, cut: isCut } = await cut(`a${'\u0301\u0316'.repeat(150_000)}`, 100);
    expect([text.length < 1000, isCut]).toEqual([true, true]);
  });

  test('ends with a whole character', async () => {
    for (let most = 1; most < 12; most++) {
      const { text } = await cut('𝔎𝔢𝔰𝔰𝔞 ist eine Insel 🏝🏝', most);
      expect(text).not.toContain('\ufffd');
      expect(text.isWellFormed()).toBe(true);
    }
  });

  test('has no more tokens than it may, and is cut only when it had more', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 }).map((some) => some.repeat(40));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 400 }), async (some, most) => {
        const whole = some.toWellFormed().normalize('NFC');
        const { text: beginning, cut: isCut } = await cut(whole, most);
        expect(whole.startsWith(beginning)).toBe(true);
        if (isCut) expect(beginning.length).toBeLessThan(whole.length);
        else expect(beginning).toBe(whole);
        expect(await tokensOf(beginning)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 60 },
    );
  });
});

test('a text cut to characters is whole code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
      const { text: beginning, cut: isCut } = cutChars(text, most);
      const whole = [...text.toWellFormed()];
      expect(beginning).toBe(whole.slice(0, most).join(''));
      expect(isCut).toBe(whole.length > most);
    }),
  );
});
