import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { type StageName, stagesAfter, stagesBefore } from '../../contract/stageTable.ts';
import type { Config } from '../../schemas/config/config.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import type { Quality } from '../../schemas/trajectory.ts';
import { resultOfJudged } from '../../schemas/tryResult.ts';
import { verdictSchema } from '../../schemas/verdict.ts';
import type { RolloutInputs, RolloutOutcome } from './rolloutInputs.ts';
import { StageInputs } from './stageInputs.ts';
import { readLedger, readRecordLines } from './stageJournals.ts';

/** What is read of a judged trajectory. */
const judgedSchema = z.object({ quality: z.object({ verdicts: z.array(verdictSchema) }) });
type Judged = { readonly quality: Pick<Quality, 'verdicts'> };

/**
 * Rollouts that are made until the judge has found enough of them correct can't be made without it.
 *
 * @throws UserError where the run ends between the two
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

/** Tells the rollouts how one of them ended: by the judge, or before it. */
export function tellRollouts(
  rollouts: RolloutInputs,
  stage: StageName,
  { index, outcome }: CorpusOutcome<unknown>,
): void {
  if (stagesAfter('judge').includes(stage)) return;
  const [record] = outcome.kind === 'emit' ? outcome.records : [];
  if (record === undefined) rollouts.ended(index, endWithout(stage));
  else if (stage === 'judge') rollouts.ended(index, endOf(record as Judged));
}

/** What a rollout is that a stage let end: the judge drops nothing, it could not decide. */
function endWithout(stage: StageName): RolloutOutcome {
  return stage === 'judge' ? 'unscored' : 'failed';
}

function endOf(judged: Judged): RolloutOutcome {
  const result = resultOfJudged(judged);
  return result === 'right' ? 'correct' : result;
}

/** What earlier sessions left. */
interface EarlierSessions {
  /** The stages that work together. */
  readonly stages: readonly StageName[];
  /** The places of rollouts that were finished. */
  readonly finished: Iterable<number>;
}

/** Tells the rollouts what earlier sessions made of them. */
export async function restoreRollouts(
  runFolder: string,
  rollouts: RolloutInputs,
  { stages, finished }: EarlierSessions,
): Promise<void> {
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
  const judged = await StageInputs.open(runFolder, 'judge', { isSparse: true });
  try {
    for await (const { index, record } of judged.read(judgedSchema)) rollouts.ended(index, endOf(record));
  } finally {
    await judged.close();
  }
}
