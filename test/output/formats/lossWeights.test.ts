import path from 'node:path';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, expect, test } from 'vitest';
import { renderRow } from '../../../output/dataset/renderRow.ts';
import { usesLossWeights } from '../../../output/rows/segmentWeights.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { type DatasetConfig, datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { rowSettings } from '../support/rowSettings.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

test.each([
  [{}, false],
  [{ think: 0, plan: 1 }, false],
  [{ think: 0.5 }, true],
  [{ think: 2 }, true],
])('%j weighs tokens otherwise than in or out: %s', (tag_weights, weighs) => {
  expect(usesLossWeights({ tag_weights })).toBe(weighs);
});

const tokenizer = await loadTokenizer('qwen2.5');
afterAll(() => tokenizer.close());

const trajectories = fc.sample(trajectoryArbitrary(), { numRuns: 8, seed: 5 });
const formats: DatasetConfig['formats'] = ['hugging_face', 'verl'];

interface Columns {
  readonly hugging_face: readonly Record<string, ArrayLike<number>>[];
  readonly verl: readonly Record<string, ArrayLike<number>>[];
}

async function written(mask: Partial<DatasetConfig['mask']>): Promise<Columns> {
  const folder = path.join(temporaryFolder(), 'dataset');
  const dataset = datasetConfigSchema.parse({ formats, mask });
  await writeDataset(trajectories, writerOptions(folder, tokenizer, { dataset }));
  const read = async (file: string) =>
    (await parquetReadObjects({
      file: await asyncBufferFromFile(path.join(folder, file)),
      compressors,
    })) as Record<string, ArrayLike<number>>[];
  return {
    hugging_face: await read('hugging_face/data/train.parquet'),
    verl: await read('verl/sft.parquet'),
  };
}

test('weights stand beside the labels for Hugging Face, and in the mask for verl', async () => {
  const tag_weights = { think: 0.25, plan: 0, answer: 2 };
  const { hugging_face, verl } = await written({ tag_weights });
  const settings = await rowSettings(tokenizer, { mask: { tag_weights } });
  for (const [at, trajectory] of trajectories.entries()) {
    const row = await renderRow(trajectory, builtinProfile(trajectory.profile)!, settings);
    const weights = Array.from(row.weights!);
    expect(new Set(weights)).toContain(2);
    expect(Array.from(hugging_face[at]!.loss_weights!)).toEqual(weights);
    expect(Array.from(verl[at]!.loss_mask!)).toEqual(weights);
    const labels = Array.from(row.inputIds, (id, token) => (weights[token]! > 0 ? id : -100));
    expect(Array.from(hugging_face[at]!.labels!, Number)).toEqual(labels);
  }
});

test('without weights there is neither a column nor anything but 0 and 1', async () => {
  const { hugging_face, verl } = await written({ tag_weights: { plan: 0 } });
  expect(Object.keys(hugging_face[0]!)).toEqual(['input_ids', 'attention_mask', 'labels']);
  const values = verl.flatMap(({ loss_mask }) => Array.from(loss_mask!));
  expect(new Set(values)).toEqual(new Set([0, 1]));
});
