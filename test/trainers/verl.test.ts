import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatasetRow } from '../../output/dataset/datasetFormat.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { maskedLoss, shiftedMask, tokenLosses, unmaskedObservation } from './support/maskedLoss.ts';
import { shortRows } from './support/shortRows.ts';
import { loadVerlRows, verlFirstLoss } from './support/verl.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { writeFormat } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
const dataset = path.join(folder, 'dataset');
let rows: DatasetRow[];
let manifest: Manifest;

beforeAll(async () => {
  // verl takes half a minute and more for a step over these.
  rows = (await shortRows(1)).slice(0, 3);
  await writeModelFolder(model);
  const trajectories = rows.map((row) => row.trajectory);
  manifest = await writeDataset(trajectories, writerOptions(dataset));
});

/** Weights as `dataset.mask.tag_weights` gives them, here different ones for neighbouring tokens. */
function weightsOf({ lossMask }: DatasetRow): Float32Array {
  return Float32Array.from(lossMask, (mask, token) => mask * [0.25, 0.5, 1, 2][token % 4]!);
}

/** A folder for verl with masks of a row's own, spoilt on purpose. */
async function spoiltFolder(name: string, spoil: (mask: Int8Array) => Int8Array): Promise<string> {
  const spoilt = path.join(folder, name);
  const spoiltRows = rows.map((row) => ({ ...row, lossMask: spoil(row.lossMask) }));
  await writeFormat(spoilt, 'verl', spoiltRows);
  return spoilt;
}

test('verl’s loading and collator hand on our ids and masks, unshifted', async () => {
  const ours = rows.map(({ inputIds, lossMask }) => ({
    input_ids: Array.from(inputIds),
    position_ids: Array.from(inputIds, (_, token) => token),
    loss_mask: Array.from(lossMask),
  }));
  expect(await loadVerlRows(dataset)).toEqual(ours);
});

describe('the dataset class refuses', () => {
  test('a row whose first token is trained', async () => {
    const spoilt = await spoiltFolder('first', (mask) => mask.slice().fill(1, 0, 1));
    await expect(loadVerlRows(spoilt)).rejects.toThrow('coa_dataset: row 0: loss_mask[0] must be 0');
  });

  test('a row that verl would have to cut, and takes one that just fits', async () => {
    const lengths = rows.map((row) => row.inputIds.length);
    const longest = Math.max(...lengths);
    expect(await loadVerlRows(dataset, longest)).toHaveLength(rows.length);
    const row = lengths.indexOf(longest);
    await expect(loadVerlRows(dataset, longest - 1)).rejects.toThrow(
      `coa_dataset: row ${row}: it is longer than data.max_length=${longest - 1}`,
    );
  });
});

describe('verl’s SFT trainer', () => {
  let losses: number[][];
  beforeAll(async () => {
    losses = await tokenLosses('trainers', folder, model, rows);
  });

  const masks = (change: (mask: Int8Array) => Int8Array = (mask) => mask): Int8Array[] =>
    rows.map((row) => change(row.lossMask));

  test('begins with the loss of a plain forward pass over our tokens', async () => {
    const loss = await verlFirstLoss(dataset, model, manifest);
    expect(Math.abs(loss - maskedLoss(losses, masks()))).toBeLessThan(1e-4);
  });

  test.each([
    ['shifted by one', 'shifted', shiftedMask],
    ['with an observation unmasked', 'unmasked', unmaskedObservation],
  ])('and with another for masks %s, which are seen as they are', async (_, name, spoil) => {
    const loss = await verlFirstLoss(await spoiltFolder(name, spoil), model, manifest);
    expect(Math.abs(loss - maskedLoss(losses, masks()))).toBeGreaterThan(1e-4);
    expect(Math.abs(loss - maskedLoss(losses, masks(spoil)))).toBeLessThan(1e-4);
  });

  test('weighs losses where the mask holds weights: sum(weight x loss) / sum(weight)', async () => {
    const weighted = path.join(folder, 'weighted');
    const weights = rows.map(weightsOf);
    const mask = { thinking: true, tag_weights: { think: 0.25 }, last_steps: null, marked: 'train' } as const;
    const weightedRows = rows.map((row, at) => ({ ...row, weights: weights[at]! }));
    await writeFormat(weighted, 'verl', weightedRows, { mask });
    const loss = await verlFirstLoss(weighted, model, manifest);
    expect(Math.abs(loss - maskedLoss(losses, weights))).toBeLessThan(1e-4);
    expect(Math.abs(loss - maskedLoss(losses, masks()))).toBeGreaterThan(1e-2);
  });
});
