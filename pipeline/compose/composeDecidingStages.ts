import type { CorpusStage, RecordStage } from '../../contract/stage.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createBestOfStage } from '../../stages/createBestOfStage.ts';
import { createTrajectoryDedupStage } from '../../stages/dedup/createTrajectoryDedupStage.ts';
import { createSemanticTrajectoryStage } from '../../stages/dedup/semantic/createSemanticTrajectoryStage.ts';
import { createFilterStage } from '../../stages/filter/createFilterStage.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { stagePaths } from '../run/stagePaths.ts';
import { chainStages } from './chainStages.ts';
import { filterTools } from './filterTools.ts';
import type { OpenEmbeddings } from './openEmbeddings.ts';
import type { Resources } from './resources.ts';

/** The stages that decide which judged trajectories become rows. */
export interface DecidingStages {
  readonly filter: RecordStage<Trajectory, Trajectory>;
  /** In order; each takes what the one before let through. */
  readonly corpus: readonly CorpusStage<Trajectory, Trajectory>[];
}

/**
 * The stages after the judge and before balance and export: those that the configuration asks for.
 *
 * @param openEmbeddings opens the model of `dedup.trajectories.semantic`
 */
export function composeDecidingStages(
  loaded: LoadedConfig,
  runFolder: string,
  resources: Resources,
  openEmbeddings: OpenEmbeddings,
): DecidingStages {
  const { filters, seed } = loaded.config;
  const filter = createFilterStage({
    profileOf: loaded.profiles.profileOf,
    filters,
    seed,
    tools: filterTools(loaded, resources),
  });
  const selection = composeSelection(loaded.config, runFolder, openEmbeddings);
  return { filter, corpus: selection ? [selection] : [] };
}

/** The stage `select`: near duplicates first, by words and by meaning, then the best of each task; undefined where neither is asked for. */
function composeSelection(
  { select, dedup }: Config,
  runFolder: string,
  openEmbeddings: OpenEmbeddings,
): CorpusStage<Trajectory, Trajectory> | undefined {
  const spillFolder = stagePaths(runFolder, 'select').folder;
  const near = dedup?.trajectories;
  const openModel = () => openEmbeddings('trajectories');
  const choosing = [
    near && createTrajectoryDedupStage({ name: 'select', config: near, spillFolder }),
    near?.semantic &&
      createSemanticTrajectoryStage('select', { config: near.semantic, openModel, spillFolder }),
    select && createBestOfStage(select.best_of),
  ].filter((stage) => stage !== undefined);
  return choosing.length === 0 ? undefined : choosing.reduce(chainStages);
}
