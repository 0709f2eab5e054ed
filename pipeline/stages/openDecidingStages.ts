import type { CorpusStage, RecordStage } from '../../contract/stage.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createBalanceStage } from '../../stages/balance/createBalanceStage.ts';
import { createBestOfStage } from '../../stages/createBestOfStage.ts';
import { createPassRateStage } from '../../stages/createPassRateStage.ts';
import {
  createSemanticTrajectoryStage,
  createTrajectoryDedupStage,
} from '../../stages/dedup/createTrajectoryDedupStage.ts';
import { createFilterStage } from '../../stages/filter/createFilterStage.ts';
import { filterTools } from '../compose/filterTools.ts';
import { writeBalanceTable } from '../run/balanceFile.ts';
import { readTaskRates } from '../run/taskRates.ts';
import { chainStages } from './chainStages.ts';
import type { StageParts } from './stageParts.ts';

type TrajectoryStage = CorpusStage<Trajectory, Trajectory>;

/** The stage `filter`: the configured rules, with what they measure by. */
export function openFilter({ loaded, resources }: StageParts): RecordStage<Trajectory, Trajectory> {
  const { filters, seed } = loaded.config;
  const tools = filterTools(loaded, resources);
  return createFilterStage({ profileOf: loaded.profiles.profileOf, filters, seed, tools });
}

/** The stage `select`: tasks by their pass rate, near duplicates by words and by meaning, then the best of each task. */
export function openSelect({ loaded, services, spillFolder, runFolder }: StageParts): TrajectoryStage {
  const { select, dedup } = loaded.config;
  const near = dedup?.trajectories;
  const folder = spillFolder('select');
  const openModel = services && (() => services.openEmbeddings('trajectories'));
  const limitsRate = select?.min_pass_rate !== undefined || select?.max_pass_rate !== undefined;
  return [
    limitsRate && createPassRateStage(select, () => passRatesOf(runFolder)),
    near && createTrajectoryDedupStage({ name: 'select', config: near, spillFolder: folder }),
    near?.semantic &&
      openModel &&
      createSemanticTrajectoryStage('select', { config: near.semantic, openModel, spillFolder: folder }),
    select && createBestOfStage(select.best_of, loaded.profiles.profileOf),
  ]
    .filter((stage) => typeof stage === 'object')
    .reduce(chainStages);
}

async function passRatesOf(runFolder: string): Promise<ReadonlyMap<string, number>> {
  const tasks = await readTaskRates(runFolder);
  return new Map(
    tasks.flatMap(({ task_id, passed, samples }) => (samples > 0 ? [[task_id!, passed / samples]] : [])),
  );
}

/** The stage `balance`; the counts before and after stay in the run folder. */
export function openBalance({ loaded, runFolder }: StageParts): TrajectoryStage {
  const { balance, seed } = loaded.config;
  const onCounts = (table: BalanceTable) => writeBalanceTable(runFolder, table);
  return createBalanceStage({ config: balance!, seed, onCounts });
}
