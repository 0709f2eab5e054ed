import { once } from '../../base/once.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { CorpusStage, RecordStage } from '../../contract/stage.ts';
import { type StageName, stageRow, stagesBefore } from '../../contract/stageTable.ts';
import { finalAnswer } from '../../schemas/coa/answers.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import type { ProbeConfig } from '../../schemas/config/probe.ts';
import { prefersByJudge } from '../../schemas/config/select.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createBalanceStage } from '../../stages/balance/createBalanceStage.ts';
import {
  createSemanticTrajectoryStage,
  createTrajectoryDedupStage,
} from '../../stages/dedup/createTrajectoryDedupStage.ts';
import { createFilterStage } from '../../stages/filter/createFilterStage.ts';
import { readPassRates } from '../../stages/filter/passRates.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { outOfRange } from '../../stages/judge/createProbeStage.ts';
import { endOfWork, preferredAttempt } from '../../stages/judge/pickAttempt.ts';
import { createReviewStage } from '../../stages/review/createReviewStage.ts';
import { createBestOfStage, createPassRateStage } from '../../stages/select/createBestOfStage.ts';
import type { PreferenceJudge } from '../../stages/select/preferByJudge.ts';
import { filterTools, tokenCounter } from '../compose/filterTools.ts';
import { RunError } from '../run/runError.ts';
import { readLedger } from '../run/stageJournals.ts';
import { passRatesByTask, probeRatesFile } from '../run/taskRates.ts';
import { writeBalanceTable } from '../run/wholeFiles.ts';
import { chainStages } from './chainStages.ts';
import type { StageParts } from './stageParts.ts';

type TrajectoryStage = CorpusStage<Trajectory, Trajectory>;

/** Opens the stage `filter` with the configured rules and their measuring parts. */
export function openFilter({
  loaded,
  resources,
  runFolder,
}: StageParts): RecordStage<Trajectory, Trajectory> {
  const { filters, probe, seed } = loaded.config;
  const { imported } = loaded;
  const tools = filterTools(loaded, resources);
  const stage = createFilterStage({ profileOf: loaded.profiles.profileOf, filters, seed, tools });
  return probe && !imported ? withinProbedRange(stage, probe, runFolder) : stage;
}

/**
 * Adds the pass rate range of `probe` in front of `filter`. It only matters for later filtering, which may narrow the
 * range.
 */
function withinProbedRange(
  stage: RecordStage<Trajectory, Trajectory>,
  range: ProbeConfig,
  runFolder: string,
): RecordStage<Trajectory, Trajectory> {
  const openRates = once(() => readPassRates(probeRatesFile(runFolder), 'probe'));
  return {
    ...stage,
    async run(trajectory, context) {
      const found = (await openRates()).countsOf(trajectory);
      const dropped = found && outOfRange({ ...found, unscored: 0 }, range);
      return dropped ?? stage.run(trajectory, context);
    },
  };
}

/**
 * Opens the stage `select`: tasks by pass rate, near duplicates by words and by meaning, then the best of each task.
 */
export function openSelect(parts: StageParts): TrajectoryStage {
  const { loaded, services, spillFolder, runFolder, resources } = parts;
  const { select, dedup, dataset, judge: judging } = loaded.config;
  const near = dedup?.trajectories;
  const folder = spillFolder('select');
  const openModel = services?.openEmbeddings;
  const openJudge = prefersByJudge(select) ? services?.openJudgeModel : undefined;
  const judge = openJudge && {
    atOnce: concurrencyOf(judging.model!.endpoint),
    show: (trajectory: Trajectory) => ({
      answer: finalAnswer(trajectory) ?? '',
      work: endOfWork(trajectory),
    }),
    prefer: preferenceOf(openJudge),
  };
  return [
    select?.pass_rate && createPassRateStage(select.pass_rate, () => passRatesByTask(runFolder)),
    near && createTrajectoryDedupStage({ config: near, spillFolder: folder }),
    near?.semantic &&
      openModel &&
      createSemanticTrajectoryStage({ config: near.semantic, openModel, spillFolder: folder }),
    select &&
      createBestOfStage(
        select.best_of,
        loaded.profiles.profileOf,
        judge,
        tokenCounter(dataset.tokenizer, resources),
      ),
  ]
    .filter((stage) => typeof stage === 'object')
    .reduce(chainStages);
}

/**
 * Preference of the judge among trajectories of a task. An unreachable judge ends the run, since no record is to blame.
 */
function preferenceOf(openModel: () => Promise<JudgeModel>): PreferenceJudge['prefer'] {
  return async ({ task_id, question, attempts }, signal) => {
    try {
      return await preferredAttempt(question, attempts, await openModel(), { work: { task_id }, signal });
    } catch (error) {
      if (!(error instanceof RecordFailure)) throw error;
      const { cause, message } = error.failure;
      throw new RunError(
        `select.best_of.by: the judge could not be asked (${cause}: ${message}); fix it, then resume with the same command`,
        { cause: error },
      );
    }
  };
}

/** Opens the stage `balance`; the counts before and after are stored in the run folder. */
export function openBalance({ loaded, runFolder }: StageParts): TrajectoryStage {
  const { balance, seed } = loaded.config;
  const onCounts = (table: BalanceTable) => writeBalanceTable(runFolder, table);
  return createBalanceStage({ config: balance!, seed, onCounts });
}

/** Opens the stage `review`, which applies human reviews. Logs reviews of records that never arrive. */
export function openReview({ loaded, runFolder, log }: StageParts): TrajectoryStage {
  return createReviewStage(loaded.reviews!, async (ids) => {
    const dropped = await droppedBefore(runFolder, new Set(ids));
    for (const id of ids) {
      const stage = dropped.get(id);
      log(`review   ${id}: reviewed, but ${stage ? `dropped by ${stage}` : 'the run has no such record'}`);
    }
  });
}

/** Stages before `review` that dropped the given records, by record. */
async function droppedBefore(
  runFolder: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, StageName>> {
  const found = new Map<string, StageName>();
  for (const stage of stagesBefore('review')) {
    if (stageRow(stage).writes !== 'trajectory') continue;
    for await (const { record_id } of readLedger(runFolder, stage))
      if (ids.has(record_id)) found.set(record_id, stage);
  }
  return found;
}
