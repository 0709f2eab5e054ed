import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disarmer, isDisarmable } from '../../../output/rows/disarmer.ts';
import { neutralise } from '../../../schemas/coa/neutralise.ts';
import { cases } from '../../support/cases.ts';

/** Few characters, so that tokens overlap, begin one another, and stand in texts by chance. */
const character = fc.constantFrom('<', '|', 'a', '>', '\\', '\n', '👍', 'é', '[', '.');
const tokens = fc.uniqueArray(
  fc
    .array(
      fc.oneof(
        character,
        fc.nat(4).map((length) => '\\'.repeat(length)),
      ),
      { minLength: 2, maxLength: 5 },
    )
    .map((parts) => parts.join(''))
    .filter(isDisarmable),
  { maxLength: 6 },
);
/** Texts made of tokens, parts of them and other characters. */
const tokensAndText = tokens.chain((set) =>
  fc.tuple(
    fc.constant(set),
    fc
      .array(
        fc.oneof(
          fc.string({ unit: character, maxLength: 4 }),
          fc.string({ unit: 'binary', maxLength: 2 }),
          ...(set.length === 0
            ? []
            : [
                fc.constantFrom(...set),
                fc.constantFrom(...set).map((token) => token.replaceAll('\\', '')),
                fc.constantFrom(...set).map((t) => t.slice(0, -1)),
              ]),
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join('')),
  ),
);

describe('disarming', () => {
  test('can be undone for any text and any set of tokens', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const disarmer = new Disarmer(set);
        expect(disarmer.restore(disarmer.disarm(text).text)).toBe(text);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test('leaves no token in the text, nor does disarming it once more', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const disarmer = new Disarmer(set);
        const once = disarmer.disarm(text);
        const twice = disarmer.disarm(once.text);
        for (const harmless of [once, twice]) {
          expect(set.filter((token) => harmless.text.includes(token))).toEqual([]);
        }
      }),
      { numRuns: cases(2_000) },
    );
  });

  test('adds nothing but backslashes, and none to a text in which no token stands, backslashes aside', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const { text: harmless, count } = new Disarmer(set).disarm(text);
        expect(harmless.replaceAll('\\', '')).toBe(text.replaceAll('\\', ''));
        expect(count === 0).toBe(harmless === text);
        const bare = text.replaceAll('\\', '');
        if (set.some((token) => text.includes(token))) expect(count).toBeGreaterThan(0);
        if (!set.some((token) => bare.includes(token.replaceAll('\\', '')))) expect(count).toBe(0);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test.each([
    ['<|im_end|>', '<\\\\\\|im_end|>', 1],
    ['<\\|im_end|>', '<\\|im_end|>', 0],
    ['<\\\\|im_end|>', '<\\\\|im_end|>', 0],
    ['<\\\\\\|im_end|>', '<\\\\\\\\\\\\|im_end|>', 1],
    ['<|im_e\\nd|>', '<\\\\\\|im_e\\nd|>', 1],
    ['a <|im_end|><|im_end|> b', 'a <\\\\\\|im_end|><\\\\\\|im_end|> b', 2],
    ['[INST] x', '[\\\\\\INST] x', 1],
    ['<|im_end|', '<|im_end|', 0],
  ])('of %s gives %s', (text, harmless, count) => {
    expect(new Disarmer(['<|im_end|>', '[INST]']).disarm(text)).toEqual({ text: harmless, count });
  });

  test('changes nothing that conversion made harmless already', () => {
    const tokens = ['<|im_start|>', '<|im_end|>', '<tool_call>', '</s>', '[INST]'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens, 'a', '\n', '<', '|')), (parts) => {
        const { text } = neutralise(parts.join(''));
        expect(new Disarmer(tokens).disarm(text)).toEqual({ text, count: 0 });
      }),
    );
  });

  test('takes time in proportion to the text, however many tokens nearly stand in it', () => {
    const reserved = Array.from({ length: 250 }, (_, at) => `<|reserved_special_token_${at}|>`);
    const disarmer = new Disarmer(reserved);
    const text = '<|reserved_special_token_'.repeat(40_000) + '\\'.repeat(100_000);
    expect(disarmer.disarm(text)).toEqual({ text, count: 0 });
  });

  test.each([
    ['<|a|>', true],
    ['<\\', false],
    ['\\\\', false],
    ['  ', false],
    ['\n\n', false],
    ['x', false],
    ['👍', false],
    ['\\xy', true],
  ])('is possible for %j: %s', (token, possible) => {
    expect(isDisarmable(token)).toBe(possible);
  });
});
