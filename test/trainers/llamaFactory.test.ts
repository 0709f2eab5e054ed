import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../output/dataset/datasetFormat.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { trainLlamaFactory } from './support/llamaFactory.ts';
import { maskedLoss, shiftedMask, tokenLosses, unmaskedObservation } from './support/maskedLoss.ts';
import { inOrder, labelledRow } from './support/matchRows.ts';
import type { TrainingRun } from './support/savedRows.ts';
import { shortRows } from './support/shortRows.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { writePlannedJob } from './support/writePlannedJob.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
let rows: DatasetRow[];
let text: TrainingRun;
let tokenized: TrainingRun;
let afm: TrainingRun;

beforeAll(async () => {
  rows = await shortRows(1);
  await writeModelFolder(model);
  const run = path.join(folder, 'run');
  const trajectories = rows.map((row) => row.trajectory);
  const manifest = await writeDataset(trajectories, writerOptions(path.join(run, 'dataset')));
  const { folder: job } = await writePlannedJob(run, manifest, 'sft');
  const common = { job, model, steps: rows.length };
  const config = '../../dataset/llama_factory/train.yaml';
  const changed = ['dataset_dir=../../dataset/llama_factory'];
  text = await trainLlamaFactory({ ...common, config, name: 'text', changed });
  tokenized = await trainLlamaFactory({ ...common, config: 'train.yaml', name: 'tokenized' });
  const asAfm = ['dataset_dir=../../dataset/afm', 'template=qwen'];
  afm = await trainLlamaFactory({ ...common, config, name: 'afm', changed: asAfm });
});

describe('stock LLaMA-Factory, by the configurations of the dataset and of a rendered job', () => {
  test('trains on text and on tokens with the very same losses', () => {
    expect(text.losses).toHaveLength(rows.length);
    expect(new Set(text.losses).size).toBe(rows.length);
    expect(tokenized.losses).toEqual(text.losses);
  });

  test('hands every row to the model with our labels, from text and from tokens', () => {
    const ours = inOrder(rows.map(labelledRow));
    expect(inOrder(text.rows)).toEqual(ours);
    expect(inOrder(tokenized.rows)).toEqual(ours);
  });

  test('trains the observations of the AFM layout, with other losses', () => {
    const all = rows.map((row) => {
      const answer = row.lossMask.indexOf(1);
      return labelledRow({ ...row, lossMask: row.lossMask.slice().fill(1, answer) });
    });
    expect(inOrder(afm.rows)).toEqual(inOrder(all));
    expect(afm.losses).toHaveLength(rows.length);
    expect(afm.losses.filter((loss, step) => loss === text.losses[step])).toEqual([]);
  });

  test('begins with the loss of a plain forward pass over our tokens, and no other mask’s', async () => {
    const first = rows.find((row) => row.inputIds.join() === text.rows[0]!.input_ids.join())!;
    const losses = await tokenLosses('llamafactory', folder, model, [first]);
    const difference = (mask: Int8Array): number => Math.abs(maskedLoss(losses, [mask]) - text.losses[0]!);
    expect(difference(first.lossMask)).toBeLessThan(1e-3);
    expect(difference(shiftedMask(first.lossMask))).toBeGreaterThan(1e-3);
    expect(difference(unmaskedObservation(first.lossMask))).toBeGreaterThan(1e-3);
  });
});
