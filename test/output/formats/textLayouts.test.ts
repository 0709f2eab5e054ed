import { describe, expect, test } from 'vitest';
import { datasetNames } from '../../../output/dataset/formats/formatParts.ts';
import type { Piece } from '../../../output/rows/rowPieces.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { alpacaRow } from '../../../schemas/rows/alpaca.ts';
import { llamaFactoryRow } from '../../../schemas/rows/shareGpt.ts';

const piece = (text: string, weight: number): Piece => ({
  kind: 'text',
  text,
  origin: weight > 0 ? 'model' : 'environment',
  weight,
});

describe('words that LLaMA-Factory replaces in a prompt', () => {
  const speakers = (prompt: string) =>
    llamaFactoryRow({ pieces: [piece(prompt, 0), piece('a', 1), piece('{{idx}}', 0), piece('b', 1)] });

  test('stay as they are in a turn that is no human one', () => {
    expect(speakers('fill in {{idx}}')).toHaveProperty('conversations', [
      { from: 'observation', value: 'fill in {{idx}}' },
      { from: 'gpt', value: 'a' },
      { from: 'observation', value: '{{idx}}' },
      { from: 'gpt', value: 'b' },
    ]);
    expect(speakers('fill in')).toHaveProperty('conversations.0', { from: 'human', value: 'fill in' });
  });

  test('can’t be had in AFM’s layout, whose prompt is the fork’s to write', () => {
    const rendered = { system: '', user: 'fill in {{idx}}', question: 'fill in {{idx}}', segments: [] };
    expect(alpacaRow({ rendered, profile: builtinProfile('web')! })).toMatchObject({ code: 'cannot_write' });
  });
});

test('every shard has a name of its own, whatever the dataset is called', () => {
  const dataset = 'a-00000-of-00001.x';
  const files = [0, 1, 2].map((shard) => ({
    path: `afm/${dataset}-0000${shard}-of-00003.json`,
    split: 'train' as const,
  }));
  const names = datasetNames(dataset, 'afm', files, 'train').map(({ name }) => name);
  expect(new Set(names).size).toBe(3);
});
