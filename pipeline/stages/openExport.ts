import { join } from 'node:path';
import { packageVersion } from '../../base/packageVersion.ts';
import type { CorpusStage } from '../../contract/stage.ts';
import { createDatasetWriter, type DatasetWriterOptions } from '../../output/dataset/createDatasetWriter.ts';
import { withAddedFormats } from '../../output/dataset/formatTable.ts';
import { prepareDataset } from '../../output/dataset/prepareDataset.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { wantedCounts } from '../../schemas/config/target.ts';
import type { Sample } from '../../schemas/sample.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createExportStage } from '../../stages/createExportStage.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsConfig.ts';
import { readRunFile } from '../run/runFile.ts';
import { datasetRates } from '../run/taskRates.ts';
import { readBalanceTable } from '../run/wholeFiles.ts';
import { type PairSource, preferencePairs } from './preferencePairs.ts';
import type { StageParts } from './stageParts.ts';
import { taskChooser } from './taskChooser.ts';

interface ExportParts extends Pick<StageParts, 'loaded' | 'runFolder' | 'configHash' | 'resources' | 'log'> {
  /** How a finished dataset is written again; absent: one is made by the run's settings. */
  readonly rewritten?: Pick<DatasetWriterOptions, 'dataset' | 'unchanged'>;
}

/** The stage `export`: writes the dataset; where it has two splits, tasks of the same question go together. */
export function openExport(parts: ExportParts): CorpusStage<Trajectory, Sample> {
  const { config, profiles } = parts.loaded;
  const pairs: PairSource = {
    runFolder: parts.runFolder,
    preference: config.dataset.preference,
    filters: config.filters,
    profileOf: profiles.profileOf,
  };
  return createExportStage({
    openWriter: () => openWriter(parts),
    findPairs: (signal) => preferencePairs(pairs, signal),
    findTasks: (hasRow, signal) => taskChooser()({ runFolder: parts.runFolder, config }, hasRow, signal),
    hasSplits: config.dataset.validation_share > 0,
  });
}

/** Tries the tokenizer, the chat template and the formats of the dataset. Throws `UserError` for what can't be used. */
export async function checkExport({ name, config: { dataset, training } }: LoadedConfig): Promise<void> {
  const tokenizer = await loadTokenizer(dataset.tokenizer);
  try {
    await prepareDataset({ name, tokenizer, dataset, training });
  } finally {
    tokenizer.close();
  }
}

async function openWriter({ loaded, runFolder, configHash, resources, log, rewritten }: ExportParts) {
  const { dataset, training } = loaded.config;
  const tokenizer = resources.keep(await loadTokenizer(dataset.tokenizer));
  const added = (await readRunFile(runFolder))?.added_formats ?? [];
  const balance = loaded.config.balance && (await readBalanceTable(runFolder));
  return createDatasetWriter({
    folder: join(runFolder, 'dataset'),
    name: loaded.name,
    tokenizer,
    dataset: withAddedFormats(dataset, added, log),
    training,
    profileOf: loaded.profiles.profileOf,
    configHash,
    version: packageVersion(),
    passRates: await datasetRates(runFolder),
    toolTags: [...toolsOf(loaded)],
    ...(balance && { balance }),
    ...(loaded.config.target && { target: wantedCounts(loaded.config.target) }),
    ...rewritten,
  });
}
