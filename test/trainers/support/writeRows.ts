import path from 'node:path';
import type { z } from 'zod';
import type { DatasetRow } from '../../../output/dataset/datasetFormat.ts';
import { formatTable } from '../../../output/dataset/formatTable.ts';
import { FormatWriter } from '../../../output/dataset/formatWriter.ts';
import { PartialFolder } from '../../../output/dataset/partialFolder.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { type DatasetConfig, datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import type { DatasetFormatName } from '../../../schemas/config/datasetFormatNames.ts';
import { trainingConfigSchema } from '../../../schemas/config/training.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { writeDataset, writerOptions } from '../../output/support/writeDataset.ts';
import { type LabelledRow, readSavedRows } from './savedRows.ts';

/** A dataset for a trainer, and what its rows should be there. */
export interface WrittenRows {
  readonly manifest: Manifest;
  readonly dataset: string;
  /** Ids and labels as `tokenized/` has them. */
  readonly rows: readonly LabelledRow[];
}

/** Writes a dataset by the exporter: `tokenized/` and the named formats. No row is too long unless the config says so. */
export async function writeRows(
  dataset: string,
  trajectories: readonly Trajectory[],
  formats: readonly DatasetFormatName[],
  config: z.input<typeof datasetConfigSchema> = {},
): Promise<WrittenRows> {
  const parsed = { cutoff_len: 10_000_000, ...config, formats: ['tokenized' as const, ...formats] };
  const tokenizer = await loadTokenizer(config.tokenizer ?? 'qwen2.5');
  const manifest = await writeDataset(trajectories, writerOptions(dataset, { tokenizer, dataset: parsed }));
  tokenizer.close();
  return { manifest, dataset, rows: await readSavedRows(path.join(dataset, 'tokenized')) };
}

/** Writes one format with rows as they are, masks that no trajectory has included. */
export async function writeFormat(
  dataset: string,
  name: DatasetFormatName,
  rows: readonly DatasetRow[],
  config: Partial<DatasetConfig> = {},
): Promise<void> {
  const folder = await PartialFolder.create(dataset);
  const format = formatTable[name];
  const settings = {
    name: 'sample',
    dataset: { ...datasetConfigSchema.parse({}), ...config },
    training: trainingConfigSchema.parse({}),
    tokenizer: 'qwen2.5',
  };
  const layout = format.layoutOf(settings);
  const writer = new FormatWriter(folder, { format, layout, settings }, Number.POSITIVE_INFINITY);
  for (const row of rows)
    await writer.add(
      layout.parts.map((part) => part.rowOf(row)),
      [row],
      'train',
    );
  await writer.finish();
  await folder.commit();
}
