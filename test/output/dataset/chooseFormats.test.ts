import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { chooseFormats, formatTable } from '../../../output/dataset/formatTable.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';

const chosen = (options: Record<string, unknown>) =>
  chooseFormats(datasetConfigSchema.parse(options)).map((format) => format.name);

describe('where no format is named', () => {
  test('there are four', () => {
    expect(chosen({})).toEqual(['afm', 'llama_factory', 'tokenized', 'verl']);
  });

  test.each([
    ['a mask with an option of its own', { mask: { thinking: false } }],
    ['a mask of the last steps', { mask: { last_steps: 2 } }],
    ['a mask that skips what is marked', { mask: { marked: 'skip' } }],
    ['a weight of 0', { mask: { tag_weights: { plan: 0 } } }],
    ['rows that are cut', { too_long: 'cut' }],
    ['segments encoded apart', { boundary_tokens: 'apart' }],
    ['another chat template', { chat_template: 'llama3' }],
  ])('AFM’s fork goes without %s', (_, options) => {
    expect(chosen(options)).toEqual(['llama_factory', 'tokenized', 'verl']);
  });

  test('a weight of 1 changes nothing', () => {
    expect(chosen({ mask: { tag_weights: { plan: 1 } } })).toEqual(chosen({}));
  });
});

describe('a named format that can’t hold the rows', () => {
  test.each([
    [['afm'], { mask: { thinking: false } }, /^dataset\.formats: afm .*dataset\.mask\.thinking: false/],
    [['tokenized'], { mask: { tag_weights: { plan: 0.5 } } }, /tokenized .*tag_weights\.plan: 0\.5/],
    [['verl', 'afm'], { too_long: 'cut' }, /afm .*set dataset\.too_long: drop/],
    [['afm'], { boundary_tokens: 'apart' }, /afm .*set dataset\.boundary_tokens: fail/],
    [['afm'], { chat_template: 'mistral' }, /afm is for the chat markup of chatml alone.*mistral/],
  ])('is refused, %j with %j', (formats, options, message) => {
    expect(() => chosen({ ...options, formats })).toThrow(UserError);
    expect(() => chosen({ ...options, formats })).toThrow(message);
  });
});

test('formats come in one order, each once, however they are named', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...datasetFormatNames), { minLength: 1 }), (formats) => {
      expect(chosen({ formats })).toEqual(datasetFormatNames.filter((name) => formats.includes(name)));
    }),
  );
});

test('the page of file formats says what each can hold', () => {
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
  for (const { name, capabilities } of Object.values(formatTable)) {
    const { untrainedModelText, lossWeights, cutRows, segmentsApart, chatTemplates } = capabilities;
    const can = [untrainedModelText, lossWeights, cutRows, segmentsApart].map((it) => (it ? 'yes' : 'no'));
    const templates = chatTemplates === 'any' ? 'any' : chatTemplates.join(', ');
    expect(page).toContain(`| ${[`\`${name}\``, ...can, templates].join(' | ')} |\n`);
  }
});
