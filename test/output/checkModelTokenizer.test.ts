import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkModelTokenizer } from '../../output/tokenizers/checkModelTokenizer.ts';
import { mistakeOf } from '../support/mistakeOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { bareByteLevel, type TinyTokenizerOptions, writeTinyTokenizer } from './support/tinyTokenizer.ts';

const merges = [
  ['t', 'h'],
  ['th', 'e'],
  // Across the border of two words, where a pattern cuts.
  ['o', ':'],
] as const;

/** A model's folder with a tokenizer. */
async function modelWith(options: TinyTokenizerOptions): Promise<string> {
  const model = temporaryFolder();
  const file = await writeTinyTokenizer(temporaryFolder(), options);
  cpSync(file, join(model, 'tokenizer.json'));
  return model;
}

const ours = () => writeTinyTokenizer(temporaryFolder(), { merges });

test('the same tokenizer is accepted, also when a library wrote its file again', async () => {
  const model = await modelWith({ merges });
  await checkModelTokenizer(await ours(), model);
  const file = join(model, 'tokenizer.json');
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), null, 4));
  await checkModelTokenizer(await ours(), model);
});

test('a model that is only a name, or has no tokenizer beside it, says nothing', async () => {
  await checkModelTokenizer(await ours(), 'Qwen/Qwen2.5-7B-Instruct');
  await checkModelTokenizer(await ours(), temporaryFolder());
});

test.each<[string, TinyTokenizerOptions, RegExp]>([
  ['a token less', { merges: merges.slice(0, 1) }, /token "the": 257 in the dataset's, none in the model's/],
  [
    'another id',
    { merges, mergedIds: [257, 256, 258] },
    /token "th": 256 in the dataset's, 257 in the model's/,
  ],
  [
    'one more added token',
    { merges, addedTokens: ['<|im_start|>', '<|im_end|>', '<tool>'] },
    /token "<tool>": none in the dataset's/,
  ],
  [
    'other borders of words',
    { merges, preTokenizer: { ...bareByteLevel, use_regex: true } },
    /cut into them otherwise/,
  ],
])(
  'a model with %s is refused, and the message says what differs and what to do',
  async (_title, options, words) => {
    const model = await modelWith(options);
    const refusal = await mistakeOf(checkModelTokenizer(await ours(), model));
    expect(refusal).toMatch(words);
    expect(refusal).toMatch(/^dataset\.tokenizer: .*set dataset\.tokenizer to .*tokenizer\.json/);
  },
);

test('a damaged tokenizer of the model is named', async () => {
  const model = temporaryFolder();
  writeFileSync(join(model, 'tokenizer.json'), '{"model"');
  await expect(checkModelTokenizer(await ours(), model)).rejects.toThrow(
    /tokenizer\.json is not a tokenizer\.json/,
  );
});
