import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEscapable, SpecialTokenEscaper } from '../../../output/rows/specialTokenEscaper.ts';
import { escapeStructure } from '../../../schemas/coa/escapeStructure.ts';
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
    .filter(isEscapable),
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

describe('escaping special tokens', () => {
  test('can be undone for any text and any set of tokens', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const escaper = new SpecialTokenEscaper(set);
        expect(escaper.unescape(escaper.escape(text).text)).toBe(text);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test('leaves no token in the text, nor does escaping it once more', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const escaper = new SpecialTokenEscaper(set);
        const once = escaper.escape(text);
        const twice = escaper.escape(once.text);
        for (const escaped of [once, twice]) {
          expect(set.filter((token) => escaped.text.includes(token))).toEqual([]);
        }
      }),
      { numRuns: cases(2_000) },
    );
  });

  test('adds nothing but backslashes, and none to a text in which no token stands, backslashes aside', () => {
    fc.assert(
      fc.property(tokensAndText, ([set, text]) => {
        const { text: escaped, count } = new SpecialTokenEscaper(set).escape(text);
        expect(escaped.replaceAll('\\', '')).toBe(text.replaceAll('\\', ''));
        expect(count === 0).toBe(escaped === text);
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
  ])('of %s gives %s', (text, escaped, count) => {
    expect(new SpecialTokenEscaper(['<|im_end|>', '[INST]']).escape(text)).toEqual({ text: escaped, count });
  });

  test('changes nothing that conversion escaped already', () => {
    const tokens = ['<|im_start|>', '<|im_end|>', '<tool_call>', '</s>', '[INST]'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens, 'a', '\n', '<', '|')), (parts) => {
        const { text } = escapeStructure(parts.join(''));
        expect(new SpecialTokenEscaper(tokens).escape(text)).toEqual({ text, count: 0 });
      }),
    );
  });

  test('takes time in proportion to the text, however many tokens nearly stand in it', () => {
    const reserved = Array.from({ length: 250 }, (_, at) => `<|reserved_special_token_${at}|>`);
    const escaper = new SpecialTokenEscaper(reserved);
    const text = '<|reserved_special_token_'.repeat(40_000) + '\\'.repeat(100_000);
    expect(escaper.escape(text)).toEqual({ text, count: 0 });
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
    expect(isEscapable(token)).toBe(possible);
  });
});
