import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createExportStage } from '../../stages/createExportStage.ts';
import { useThreads } from '../base/threads/support/useThreads.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { runCorpusStage } from '../support/runStage.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';
import { writerOptions } from './support/writeDataset.ts';

const rows = fc.sample(trajectoryArbitrary(), { numRuns: 24, seed: 5 }).map(
  (row, at): Trajectory => ({
    ...row,
    id: `trajectory_${at}`,
    task_id: `task_${at}`,
    ...(at % 5 === 0 && { sampling: { repeats: 2, weight: 1, reasons: ['cap'] } }),
  }),
);
/** Rows are written, or too long; shards are small. */
const dataset = {
  validation_share: 0.2,
  shard_mb: 1,
  cutoff_len: 600,
  formats: ['afm', 'llama_factory', 'tokenized', 'verl', 'hugging_face', 'axolotl', 'ms_swift'],
};

async function exported(threads: number) {
  useThreads(threads);
  const folder = path.join(temporaryFolder(), 'dataset');
  const options = writerOptions(folder, { dataset });
  const stage = createExportStage({ openWriter: () => createDatasetWriter(options) });
  const outcomes = await runCorpusStage(stage, rows);
  return { outcomes, files: await folderHashes(folder) };
}

test('a dataset has the same bytes and outcomes with any number of threads', async () => {
  const here = await exported(1);
  expect(new Set(here.outcomes.map(({ outcome }) => outcome.kind))).toEqual(new Set(['emit', 'drop']));
  expect(await exported(3)).toEqual(here);
});

test('a writer that is given up leaves nothing, whatever its threads were doing', async () => {
  useThreads(2);
  const parent = temporaryFolder();
  const writer = await createDatasetWriter(writerOptions(path.join(parent, 'dataset')));
  const written = Promise.allSettled(rows.map((row) => writer.write(row)));
  await writer.abort();
  expect((await written).at(-1)).toMatchObject({ status: 'rejected' });
  expect(await folderHashes(parent)).toEqual(await folderHashes(temporaryFolder()));
});
