import { join } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { verifyDataset } from '../../output/check/datasetFiles.ts';
import { restoreSetAside } from '../../output/dataset/partialFolder.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { loadedOfRun } from '../../pipeline/config/loadConfig.ts';
import { configOfRun } from '../../pipeline/config/parseConfig.ts';
import { type FoundRun, findRun } from '../../pipeline/run/findRun.ts';
import { noteAddedFormats, stageBeforeExport } from '../../pipeline/run/runFile.ts';
import { isStageDone } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import { openExport } from '../../pipeline/stages/openExport.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { resumeCommandOf } from '../resumeCommandOf.ts';

interface FormatsRequest {
  readonly runFolder: string;
  readonly formats: readonly DatasetFormatName[];
}

interface AddedFormats {
  readonly added: readonly DatasetFormatName[];
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Adds formats to a finished dataset. Rewrites the whole dataset beside the old one from the run's records, and
 * replaces the old one only if every existing file is byte-identical.
 *
 * @throws UserError if the dataset is not finished, was edited, or does not fit a format
 */
export async function addDatasetFormats(request: FormatsRequest): Promise<AddedFormats> {
  const unlock = await lockFolder(request.runFolder);
  try {
    // Read again under the lock, since another process may have rewritten it before.
    return await addLocked(await findRun(request.runFolder), request.formats);
  } finally {
    await unlock();
  }
}

async function addLocked(found: FoundRun, formats: readonly DatasetFormatName[]): Promise<AddedFormats> {
  const folder = join(found.folder, 'dataset');
  const before = await finishedDataset(found, folder);
  await verifyDataset(folder, before);
  const added = datasetFormatNames.filter((name) => formats.includes(name) && !before.formats.includes(name));
  if (added.length === 0) return { added, folder, manifest: before };
  const manifest = await rewrite(found, before, added);
  await noteAddedFormats(found.folder, added);
  return { added, folder, manifest };
}

async function finishedDataset({ folder: runFolder, run }: FoundRun, folder: string): Promise<Manifest> {
  await onDisk(folder, () => restoreSetAside(folder));
  const manifest = (await isStageDone(runFolder, 'export')) ? await readManifest(runFolder) : null;
  if (manifest) return manifest;
  throw new UserError(
    `${runFolder} has no finished dataset; finish it with: ${resumeCommandOf(run, runFolder)}`,
  );
}

async function rewrite(
  { folder: runFolder, run }: FoundRun,
  before: Manifest,
  added: readonly DatasetFormatName[],
): Promise<Manifest> {
  const config = configOfRun(run);
  const formats = [...before.formats, ...added];
  await checkTokenizer(config.dataset.tokenizer, before);
  await using resources = new Resources();
  const stage = openExport({
    loaded: { ...loadedOfRun(run, config), name: run.dataset_name },
    runFolder,
    configHash: before.config_hash,
    resources,
    log: () => {},
    rewritten: {
      dataset: { ...config.dataset, formats },
      // Only the card changes, since it lists the formats.
      unchanged: before.files.filter((file) => file.path !== 'README.md'),
    },
  });
  const records = await recordsBeforeExport(runFolder);
  for await (const { recordId, outcome } of stage.run(records, { signal: new AbortController().signal }))
    if (outcome.kind === 'fail' && (await isRow(runFolder, recordId)))
      throw new UserError(
        `${recordId}: this row of the dataset can't be had in ${added.join(' and ')} (${outcome.failure.message}); the dataset is as it was`,
      );
  return (await readManifest(runFolder))!;
}

async function checkTokenizer(file: string, { tokenizer: { name, sha256 } }: Manifest): Promise<void> {
  const tokenizer = await loadTokenizer(file);
  tokenizer.close();
  if (tokenizer.sha256 === sha256) return;
  throw new UserError(
    `dataset.tokenizer: ${file} is no longer the ${name} that the dataset was made with (SHA-256 ${sha256}); put that file back, or make the dataset again with coa-distill run and --from export`,
  );
}

/** Input of the export stage; can be iterated several times. */
async function recordsBeforeExport(runFolder: string): Promise<AsyncIterable<Trajectory>> {
  const stage = await stageBeforeExport(runFolder);
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { record } of stageRecords(runFolder, stage, trajectorySchema)) yield record;
    },
  };
}

async function isRow(runFolder: string, id: string): Promise<boolean> {
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema))
    if (record.id === id) return true;
  return false;
}
