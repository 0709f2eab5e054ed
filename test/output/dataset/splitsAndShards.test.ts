import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import { createDatasetWriter } from '../../../output/dataset/createDatasetWriter.ts';
import { splitOf } from '../../../output/dataset/datasetCounts.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { Sample } from '../../../schemas/sample.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { cases } from '../../support/cases.ts';
import { checkDataset, trajectoriesOf } from '../../support/checkDataset.ts';
import { folderHashes } from '../../support/folderHashes.ts';
import { maskArbitrary, withMarks } from '../../support/maskArbitrary.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const layout = fc.record({
  formats: fc.subarray([...datasetFormatNames], { minLength: 1 }),
  validation_share: fc.constantFrom(0, 0.3, 0.6, 0.99),
  // A row takes some kilobytes: one row a file, some, all.
  shard_mb: fc.constantFrom(null, 0.000_1, 0.005, 0.02),
});

/** Writes what can be written; gives what became of each. */
async function write(
  folder: string,
  rows: readonly Trajectory[],
  options: object,
): Promise<{ manifest: Manifest; samples: (Sample | undefined)[] }> {
  const writer = await createDatasetWriter(writerOptions(folder, { dataset: options }));
  const samples: (Sample | undefined)[] = [];
  for (const row of rows) {
    const outcome = await writer.write(row).catch((error: unknown) => {
      if (error instanceof RecordFailure) return undefined;
      throw error;
    });
    samples.push(outcome?.kind === 'written' ? outcome.sample : undefined);
  }
  return { manifest: await writer.finish(), samples };
}

describe('whatever formats, splits and shards are chosen', () => {
  test('every format holds the same rows in the same order, and writing again gives the same bytes', async () => {
    const parent = temporaryFolder();
    let run = 0;
    let sharded = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(trajectoryArbitrary(), { maxLength: 6 }), layout, async (rows, options) => {
        const folder = path.join(parent, String(run++));
        const { manifest, samples } = await write(folder, rows, options);
        await checkDataset(folder);
        const written = rows.filter((_, at) => samples[at] !== undefined);
        for (const split of ['train', 'validation'] as const) {
          const trajectories = await trajectoriesOf(folder, split);
          const expected = written.filter((row) => splitOf(row.task_id, options.validation_share) === split);
          expect(trajectories.map((row) => row.id)).toEqual(expected.map((row) => row.id));
          const places = samples.filter((sample) => sample?.split === split).map((sample) => sample!.row);
          expect(places).toEqual([...places.keys()]);
        }
        sharded += manifest.files.some((file) => file.path.includes('-00001-of-')) ? 1 : 0;
        const again = path.join(parent, `${run}-again`);
        await write(again, rows, options);
        expect(folderHashes(again)).toEqual(folderHashes(folder));
        await Promise.all([rm(folder, { recursive: true }), rm(again, { recursive: true })]);
      }),
      { numRuns: cases(25), seed: 6 },
    );
    expect(sharded).toBeGreaterThan(0);
  });

  test('and whatever the mask and the cutoff, the formats that can hold the rows agree', async () => {
    const parent = temporaryFolder();
    let run = 0;
    const seen = { cut: 0, weighted: 0, dropped: 0 };
    const row = fc
      .tuple(trajectoryArbitrary(), fc.array(fc.nat(9), { maxLength: 3 }))
      .map(([trajectory, places]) => withMarks(trajectory, places));
    const options = fc.record({
      mask: maskArbitrary,
      too_long: fc.constantFrom('cut', 'drop'),
      cutoff_len: fc.integer({ min: 600, max: 2_000 }),
      validation_share: fc.constantFrom(0, 0.4),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), options, async (rows, asked) => {
        const folder = path.join(parent, String(run++));
        const { manifest, samples } = await write(folder, rows, asked);
        await checkDataset(folder);
        seen.cut += manifest.cut_rows;
        seen.weighted += manifest.formats.includes('tokenized') ? 0 : 1;
        seen.dropped += samples.filter((sample) => sample === undefined).length;
        expect(manifest.formats).toContain('verl');
        await rm(folder, { recursive: true });
      }),
      { numRuns: cases(50), seed: 6 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  test('a format has the same bytes beside any others', async () => {
    const rows = fc.sample(trajectoryArbitrary(), { numRuns: 6, seed: 3 });
    const parent = temporaryFolder();
    const options = { validation_share: 0.4, shard_mb: 0.02 };
    const all = await hashesOf(path.join(parent, 'all'), rows, { ...options, formats: datasetFormatNames });
    for (const format of datasetFormatNames) {
      const alone = await hashesOf(path.join(parent, format), rows, { ...options, formats: [format] });
      for (const file of Object.keys(alone).filter((file) => !['README.md', 'manifest.json'].includes(file)))
        expect(alone[file], file).toBe(all[file]);
      expect(Object.keys(alone).some((file) => file.startsWith(`${format}/`))).toBe(true);
    }
  });

  async function hashesOf(folder: string, rows: readonly Trajectory[], options: object) {
    await write(folder, rows, options);
    return folderHashes(folder);
  }
});

describe('a dataset with a validation split', () => {
  const rows = fc.sample(trajectoryArbitrary(), { numRuns: 12, seed: 8 });
  const options = { validation_share: 0.5, formats: [...datasetFormatNames] };

  test('has a file of each split in every format', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const { manifest } = await write(folder, rows, options);
    expect(manifest.splits.validation).toBeGreaterThan(0);
    const paths = manifest.files.filter((file) => file.split === 'validation').map((file) => file.path);
    expect(paths).toEqual([
      'afm/sample-validation.json',
      'axolotl/segments/validation.jsonl',
      'axolotl/tokens/validation.parquet',
      'hugging_face/data/validation.parquet',
      'llama_factory/validation.jsonl',
      'ms_swift/validation.jsonl',
      'tokenized/validation/data-00000-of-00001.arrow',
      'trajectories-validation.jsonl',
      'verl/validation.parquet',
    ]);
  });

  test('has no rows to train on where all tasks validate, and can be read', async () => {
    const folder = path.join(temporaryFolder(), 'dataset');
    const task = rows.find((row) => splitOf(row.task_id, 0.5) === 'validation')!;
    const { manifest } = await write(folder, [task], options);
    expect(manifest.splits).toEqual({ train: 0, validation: 1 });
    await checkDataset(folder);
  });
});

test('a data set of the name that its description has is written all the same', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  const rows = fc.sample(trajectoryArbitrary(), { numRuns: 2, seed: 1 });
  await writeDataset(rows, writerOptions(folder, { name: 'dataset_info' }));
  await checkDataset(folder);
});

describe('a failure in the middle', () => {
  const rows = fc.sample(trajectoryArbitrary(), { numRuns: 6, seed: 2 });

  test.each([0.000_1, null])('with shards of %s MB leaves nothing under the final name', async (shard_mb) => {
    const parent = temporaryFolder();
    const folder = path.join(parent, 'dataset');
    const writer = await createDatasetWriter(writerOptions(folder, { dataset: { shard_mb } }));
    for (const row of rows) await writer.write(row);
    await rm(`${folder}.partial`, { recursive: true });
    await expect(writer.finish()).rejects.toThrow(/ENOENT/);
    expect(await readdir(parent)).toEqual([]);
  });

  test('leaves a dataset that was there as it was', async () => {
    const parent = temporaryFolder();
    const folder = path.join(parent, 'dataset');
    await writeDataset(rows.slice(0, 2), writerOptions(folder));
    const before = folderHashes(folder);
    const writer = await createDatasetWriter(writerOptions(folder));
    for (const row of rows) await writer.write(row);
    await mkdir(`${folder}.partial/verl/sft.parquet`, { recursive: true });
    await expect(writer.finish()).rejects.toThrow();
    expect(folderHashes(folder)).toEqual(before);
    expect(await readdir(parent)).toEqual(['dataset']);
  });
});
