import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { mistakeOf } from '../support/mistakeOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { qwen } from './support/qwen.ts';
import { piecePattern, splitBy } from './support/qwenTokenizer.ts';
import { bareByteLevel, wholeText, writeTinyTokenizer } from './support/tinyTokenizer.ts';

describe('qwen2.5', () => {
  test('is encoded by our own encoder and known by its hash', () => {
    expect(qwen).toMatchObject({ name: 'qwen2.5', encoder: 'coa-distill' });
    expect(qwen.sha256).toMatch(/^c0382117/);
  });

  test('never encodes a control token from text', async () => {
    const controls = new Set(qwen.addedTokens.map((token) => qwen.controlId(token)));
    expect(controls.size).toBe(22);
    for (const token of qwen.addedTokens) {
      const ids = await qwen.encode(`a${token}b`);
      expect([...ids].filter((id) => controls.has(id))).toEqual([]);
      expect(await qwen.decode(ids)).toBe(`a${token}b`);
    }
  });

  test('decodes control ids as their text, amid characters that span tokens and byte order marks', async () => {
    const [start, end] = [qwen.controlId('<|im_start|>'), qwen.controlId('<|im_end|>')];
    const middle = await qwen.encode('\ufeff👩‍👧 日本\ufeff');
    const ids = Uint32Array.of(start, ...middle, end, end);
    expect(await qwen.decode(ids)).toBe('<|im_start|>\ufeff👩‍👧 日本\ufeff<|im_end|><|im_end|>');
  });

  test.each([
    ['not NFC', 'e\u0301'],
    ['a lone surrogate', 'a\ud800'],
  ])('refuses text that would be normalised: %s', async (_, text) => {
    await expect(qwen.encode(text)).rejects.toThrow(RecordFailure);
  });

  test('refuses texts side by side that part a character, or that are normal only apart', async () => {
    await expect(qwen.encodeSideBySide(['a\ud83d', '\ude00b'])).rejects.toThrow(RecordFailure);
    await expect(qwen.encodeSideBySide(['e', '\u0301'])).rejects.toThrow(RecordFailure);
  });

  test('encodes nothing once it is closed', async () => {
    const closed = await loadTokenizer('qwen2.5');
    closed.close();
    await expect(closed.encode('a')).rejects.toThrow('the tokenizer qwen2.5 is closed');
  });

  test('names a control token that it does not have', () => {
    expect(() => qwen.controlId('[INST]')).toThrow(UserError);
    expect(() => qwen.controlId('[INST]')).toThrow('qwen2.5 has no token [INST]');
  });
});

describe('the encoder is decided from the file', () => {
  const merges = [
    ['a', 'b'],
    ['ab', 'c'],
    ['b', 'c'],
  ] as const;
  const otherOrder = [merges[2], merges[0], merges[1]] as const;

  const single = splitBy(piecePattern('\\p{N}'));
  const llama = splitBy(piecePattern('\\p{N}{1,3}'));

  test.each([
    ['Qwen’s pattern', { merges, preTokenizer: single }, 'coa-distill'],
    ['Llama 3’s pattern', { merges, preTokenizer: llama, normalizer: null }, 'coa-distill'],
    [
      'whole pieces before merges',
      { merges: otherOrder, preTokenizer: llama, ignoreMerges: true },
      'coa-distill',
    ],
    ['a token that no merge reaches', { merges: otherOrder, preTokenizer: single }, 'coa-distill'],
    [
      'ids in another order than the merges',
      { merges, preTokenizer: single, mergedIds: [258, 257, 256] },
      'coa-distill',
    ],
    ['GPT-2’s pattern', { merges, preTokenizer: { ...bareByteLevel, use_regex: true } }, 'tokenizers'],
    ['a pattern of its own', { merges }, 'tokenizers'],
    ['no pattern', { merges, preTokenizer: bareByteLevel }, 'tokenizers'],
    ['digits apart', { merges, preTokenizer: withDigits() }, 'tokenizers'],
    ['a pattern that leaves text out', { merges, preTokenizer: splitBy('\\w+') }, 'tokenizers'],
    ['dropout', { merges, preTokenizer: single, dropout: 1e-9 }, 'tokenizers'],
  ] as const)('%s', async (_, options, encoder) => {
    const file = await writeTinyTokenizer(temporaryFolder(), options);
    const tokenizer = await loadTokenizer(file);
    expect(tokenizer.encoder).toBe(encoder);
    const expected = await HuggingFace.fromFile(file).encode('abc xabc bc 12 é\n', null, {
      addSpecialTokens: false,
    });
    const ids = await tokenizer.encode('abc xabc bc 12 é\n');
    expect([...ids]).toEqual(expected.getIds());
    expect(await tokenizer.decode(ids)).toBe('abc xabc bc 12 é\n');
    const literal = await tokenizer.encode('<|im_end|>');
    expect(literal.length).toBe(10);
    tokenizer.close();
  });
});

function withDigits() {
  const [split, bytes] = wholeText.pretokenizers;
  return { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, split, bytes] };
}

describe('a file that is no use is the user’s mistake', () => {
  test('missing', async () => {
    expect(await mistakeOf(loadTokenizer('/nowhere/tokenizer.json'))).toMatch(/dataset\.tokenizer: .*ENOENT/);
  });

  test.each([
    ['no JSON', '{"model"', /not a tokenizer\.json/],
    ['another kind of JSON', '{"vocab": {}}', /not a tokenizer\.json.*model/],
    ['an unknown model', '{"model": {"type": "Nope"}}', /refused by the tokenizers package/],
  ])('%s', async (name, text, message) => {
    const file = path.join(temporaryFolder(), `${name}.json`);
    await writeFile(file, text);
    expect(await mistakeOf(loadTokenizer(file))).toMatch(message);
  });

  test.each([
    ['a blank', ' '],
    ['an indentation', '\n    '],
    ['one character', '§'],
    ['backslashes', '\\\\'],
  ])('one with an added token that no text can be kept free of: %s', async (_, token) => {
    const file = await writeTinyTokenizer(temporaryFolder(), { addedTokens: ['<|im_end|>', token] });
    expect(await mistakeOf(loadTokenizer(file))).toMatch(/can be kept free of/);
  });

  test('one whose added tokens have ids that Hugging Face’s tokenizers do not keep', async () => {
    const file = await writeTinyTokenizer(temporaryFolder(), { firstAddedId: 1000 });
    const encoding = await HuggingFace.fromFile(file).encode('<|im_start|>', null, {
      addSpecialTokens: false,
    });
    expect(encoding.getIds()).toEqual([256]);
    expect(await mistakeOf(loadTokenizer(file))).toMatch(/<\|im_start\|> the id 1000, but .* make it 256/);
  });

  test('one that lower-cases', async () => {
    const file = await writeTinyTokenizer(temporaryFolder(), { normalizer: { type: 'Lowercase' } });
    await expect(loadTokenizer(file)).rejects.toThrow(/rewrites text/);
  });
});
