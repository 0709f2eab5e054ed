import { z } from 'zod';
import { Bitset } from '../../base/bitset.ts';
import { UserError } from '../../base/userError.ts';
import type { CorpusOutcome, Identified, RecordStage } from '../../contract/stage.ts';
import { type StageName, stagesAfter, stagesBefore } from '../../contract/stageTable.ts';
import type { Config } from '../../schemas/config/config.ts';
import {
  dependsOnJudge,
  mostRollouts,
  type RolloutPlan,
  rolloutPlan,
} from '../../schemas/config/rollouts.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Quality } from '../../schemas/trajectory.ts';
import { resultOfJudged } from '../../schemas/tryResult.ts';
import { verdictSchema } from '../../schemas/verdict.ts';
import { RolloutInputs, type RolloutOutcome } from './rolloutInputs.ts';
import { StageInputs } from './stageInputs.ts';
import { readLedger, readRecordLines } from './stageJournals.ts';
import type { StageLog } from './stageLog.ts';
import type { RecordInputs } from './stageRunner.ts';
import type { PendingRollouts, RunStagesOptions, StageWork } from './stageWork.ts';

const judgedSchema = z.object({ quality: z.object({ verdicts: z.array(verdictSchema) }) });
type Judged = { readonly quality: Pick<Quality, 'verdicts'> };

/**
 * Rejects adaptive rollouts without the judge, whose verdicts they depend on.
 *
 * @throws UserError if the run ends between the two
 */
export function refuseWithoutJudge({ teacher }: Pick<Config, 'teacher'>, until: StageName | undefined): void {
  const plan = rolloutPlan(teacher);
  if (until === undefined || !dependsOnJudge(plan)) return;
  if (stagesBefore('rollout').includes(until) || !stagesBefore('judge').includes(until)) return;
  const key = plan.correct === undefined ? 'teacher.on_wrong' : 'teacher.rollouts.until';
  throw new UserError(
    `--until ${until}: ${key} asks for rollouts by what the judge finds; name judge or a later stage`,
  );
}

/** Inputs of a per-record stage, with feedback on their outcomes. */
export interface ChainInputs {
  readonly records: RecordInputs;
  /** Notes an outcome on disk, of this stage or of one in the same chain. */
  note(stage: StageName, ended: CorpusOutcome<unknown>): void;
  restore(runFolder: string, earlier: EarlierSessions): Promise<void>;
}

/** Records of the stage before, each as often as the stage works on it. */
export function chainInputs(
  { rollouts }: Pick<RecordStage<Identified, Identified>, 'rollouts'>,
  upstream: StageInputs,
  drain: AbortSignal,
): ChainInputs {
  if (!rollouts || mostRollouts(rollouts) === 1)
    return { records: upstream, note: () => {}, restore: async () => {} };
  const records = new RolloutInputs(upstream, rollouts, drain);
  return {
    records,
    note: (stage, ended) => noteOutcome(records, stage, ended),
    restore: (runFolder, earlier) => restoreRollouts(runFolder, records, earlier),
  };
}

function noteOutcome(
  rollouts: RolloutInputs,
  stage: StageName,
  { index, outcome }: CorpusOutcome<unknown>,
): void {
  if (stagesAfter('judge').includes(stage)) return;
  const [record] = outcome.kind === 'emit' ? outcome.records : [];
  if (record === undefined) rollouts.ended(index, endWithout(stage));
  else if (stage === 'judge') rollouts.ended(index, endOf(record as Judged));
}

/** Result of a rollout that ended in a stage: the judge drops nothing, so there it is unscored. */
function endWithout(stage: StageName): RolloutOutcome {
  return stage === 'judge' ? 'unscored' : 'failed';
}

function endOf(judged: Judged): RolloutOutcome {
  const result = resultOfJudged(judged);
  return result === 'right' ? 'correct' : result;
}

interface EarlierSessions {
  readonly stages: readonly StageName[];
  /** Indexes of finished rollouts. */
  readonly finished: Iterable<number>;
  /** Records of the stage with their schema; absent if no later stage is in the chain. */
  readonly made?: { readonly records: StageInputs; readonly schema: z.ZodType } | undefined;
}

async function restoreRollouts(
  runFolder: string,
  rollouts: RolloutInputs,
  { stages, finished, made }: EarlierSessions,
): Promise<void> {
  if (made) rollouts.readWrongTriesFrom(made.records, made.schema as z.ZodType<Trace>);
  if (!rollouts.dependsOnOutcomes) return;
  for (const index of finished) rollouts.wasBegun(index);
  for (const stage of stages) {
    if (stagesAfter('judge').includes(stage)) return;
    for await (const { index } of readLedger(runFolder, stage)) rollouts.ended(index, endWithout(stage));
    for await (const { index, count } of readRecordLines(runFolder, stage)) {
      if (count === 0) rollouts.ended(index, endWithout(stage));
    }
    if (stage === 'judge') await restoreJudged(runFolder, rollouts);
  }
}

async function restoreJudged(runFolder: string, rollouts: RolloutInputs): Promise<void> {
  await using judged = await StageInputs.open(runFolder, 'judge', { isSparse: true });
  for await (const { index, record } of judged.read(judgedSchema)) rollouts.ended(index, endOf(record));
}

interface RolloutStage extends Pick<StageWork, 'wanted' | 'before'> {
  readonly indexOf: StageFile['index_of'];
  readonly log: StageLog;
  readonly plan: RolloutPlan;
}

const profileSchema = z.object({ profile: z.string() });

/** Computes the pending rollouts on request, which reads all tasks. */
export function createPendingRollouts(
  { runFolder, chosen }: Pick<RunStagesOptions, 'runFolder' | 'chosen'>,
  { wanted, before, indexOf, log, plan }: RolloutStage,
): () => Promise<PendingRollouts> {
  const finished = new Bitset();
  for (const index of log.finishedIndexes()) finished.add(index);
  return async () => {
    const most = mostRollouts(plan);
    // Shares one string per profile, since tasks are many.
    const names = new Map<string, string>();
    const pending = { places: [] as number[], profiles: [] as string[] };
    await using tasks = await StageInputs.open(runFolder, before!, {
      isSparse: indexOf !== undefined,
      ...(chosen?.stage === wanted.stage && { chosen: chosen.places }),
    });
    for await (const { index, record } of tasks.read(profileSchema)) {
      const profile = names.get(record.profile) ?? record.profile;
      names.set(profile, profile);
      for (let place = index * most; place < (index + 1) * most; place++) {
        if (finished.has(place)) continue;
        pending.places.push(place);
        pending.profiles.push(profile);
      }
    }
    return pending;
  };
}
