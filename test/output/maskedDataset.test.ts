import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { DatasetWriter } from '../../contract/datasetWriter.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import type { Block } from '../../schemas/coa/layout.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { trajectoryOf } from '../support/trajectoryArbitrary.ts';
import { writerOptions } from './support/writeDataset.ts';

let qwen: Tokenizer;
beforeAll(async () => {
  qwen = await loadTokenizer('qwen2.5');
});
afterAll(() => qwen.close());

/** A dataset of the formats that can hold a cut row. */
function openWriter(folder: string, config: z.input<typeof datasetConfigSchema>): Promise<DatasetWriter> {
  const formats = ['llama_factory', 'tokenized', 'verl'] as const;
  const dataset = datasetConfigSchema.parse({ formats, too_long: 'cut', ...config });
  return createDatasetWriter({ ...writerOptions(folder, qwen), dataset });
}

/** A trajectory with so many searches. */
function searching(searches: number): Trajectory {
  const model = (tag: string, body = 'x'): Block => ({ tag, origin: 'model', body });
  const blocks = [
    model('think'),
    model('plan'),
    ...Array.from({ length: searches }, (_, at): Block[] => [
      model('think'),
      model('wiki_search', `query ${at}`),
      { tag: 'observation', origin: 'environment', body: '\nx\n' },
    ]).flat(),
    model('think'),
    model('answer'),
  ];
  return trajectoryOf(builtinProfiles.mhqa!, blocks, 'Who?', 'she');
}

test('a row is written whole, cut, or dropped for what is true of it', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  const tag_weights = Object.fromEntries(['plan', 'reflection', 'answer'].map((tag) => [tag, 0]));
  const writer = await openWriter(folder, { mask: { thinking: false, tag_weights }, cutoff_len: 600 });
  const short = searching(1);
  const long = searching(40);
  const silent = searching(0);
  const unfitting = { ...short, system: 'x '.repeat(700) };
  const outcomes = [];
  for (const row of [short, long, silent, unfitting]) outcomes.push(await writer.write(row));
  expect(outcomes).toMatchObject([
    { kind: 'written', sample: { row: 0 } },
    {
      kind: 'written',
      sample: { row: 1, cut: { segments: expect.any(Number), tokens: expect.any(Number) } },
    },
    { kind: 'nothing_trained' },
    { kind: 'too_long', cutoff_len: 600 },
  ]);
  expect(await writer.finish()).toMatchObject({ rows: 2, cut_rows: 1 });
  await checkDataset(folder);
});
