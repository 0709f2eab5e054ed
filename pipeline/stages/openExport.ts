import { join } from 'node:path';
import { packageVersion } from '../../base/packageVersion.ts';
import { Resources } from '../../base/resources.ts';
import type { CorpusStage } from '../../contract/stage.ts';
import { createDatasetWriter, type DatasetWriterOptions } from '../../output/dataset/createDatasetWriter.ts';
import { withAddedFormats } from '../../output/dataset/formatTable.ts';
import { prepareDataset } from '../../output/dataset/prepareDataset.ts';
import { type DrawSettings, MixedPool, tryMixedFiles } from '../../output/mix/mixedPool.ts';
import { idDecoder } from '../../output/tokenizers/decodeIds.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { wantedCounts } from '../../schemas/config/target.ts';
import type { MixedFileCounts } from '../../schemas/mixedRow.ts';
import type { Sample } from '../../schemas/sample.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createExportStage } from '../../stages/createExportStage.ts';
import { openBenchmarks } from '../../stages/dedup/createDecontaminateStage.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsConfig.ts';
import { readRunFile } from '../run/runFile.ts';
import { datasetRates } from '../run/taskRates.ts';
import { readBalanceTable } from '../run/wholeFiles.ts';
import { type PairSource, preferencePairs } from './preferencePairs.ts';
import type { StageParts } from './stageParts.ts';
import { taskChooser } from './taskChooser.ts';

interface ExportParts extends Pick<StageParts, 'loaded' | 'runFolder' | 'configHash' | 'resources' | 'log'> {
  /** Rewrites a finished dataset. Default: a dataset by the run's settings. */
  readonly rewritten?: Pick<DatasetWriterOptions, 'dataset' | 'unchanged'>;
}

/** Opens the stage `export`, which writes the dataset; with two splits, tasks with the same question stay together. */
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

/**
 * Checks the tokenizer, chat template, formats and mixed files of the dataset. Throws `UserError` for an unusable one.
 */
export async function checkExport({ name, config: { dataset, training } }: LoadedConfig): Promise<void> {
  const tokenizer = await loadTokenizer(dataset.tokenizer);
  try {
    await prepareDataset({ name, tokenizer, dataset, training });
    if (dataset.mix) await tryMixedFiles(dataset.mix, idDecoder(tokenizer));
  } finally {
    tokenizer.close();
  }
}

export interface MixSurvey extends Pick<MixedFileCounts, 'file' | 'rows_read' | 'left_out' | 'not_read'> {
  readonly usable: number;
}

/**
 * Reads the files of `dataset.mix` and counts their rows; undefined without it. Throws `UserError` for an unreadable
 * file.
 */
export async function surveyMix(loaded: LoadedConfig): Promise<MixSurvey[] | undefined> {
  const { dataset } = loaded.config;
  if (!dataset.mix) return undefined;
  await using resources = new Resources();
  const draw = await drawSettings(loaded, resources);
  const decode = idDecoder(resources.keep(await loadTokenizer(dataset.tokenizer)));
  const surveys: MixSurvey[] = [];
  for (const asked of dataset.mix) {
    const pool = await MixedPool.read(asked, draw, decode);
    const { file, rows_read, left_out, not_read } = pool.counted;
    surveys.push({ file, rows_read, usable: pool.size, left_out, not_read });
    pool.close();
  }
  return surveys;
}

async function openWriter({ loaded, runFolder, configHash, resources, log, rewritten }: ExportParts) {
  const { dataset, training } = loaded.config;
  const tokenizer = resources.keep(await loadTokenizer(dataset.tokenizer));
  const added = (await readRunFile(runFolder))?.added_formats ?? [];
  const draw = loaded.config.dataset.mix && (await drawSettings(loaded, resources));
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
    ...(draw && { draw }),
    ...(loaded.config.target && { target: wantedCounts(loaded.config.target) }),
    ...rewritten,
  });
}

/** Draw settings of `dataset.mix`: the run's seed, and the benchmark questions to exclude. */
async function drawSettings(
  { config }: Pick<LoadedConfig, 'config'>,
  resources: Resources,
): Promise<DrawSettings> {
  const { decontaminate, seed } = config;
  if (!decontaminate || decontaminate.benchmarks.length === 0) return { seed };
  const benchmarks = resources.keep(await openBenchmarks(decontaminate, new AbortController().signal));
  return { seed, findContamination: (asked) => benchmarks.find(asked) };
}
