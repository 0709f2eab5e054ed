import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { type StageName, stagesAfter } from '../../contract/stageTable.ts';
import type { RolloutPlan } from '../../schemas/config/rollouts.ts';
import { isJudgedCorrect, type Trajectory } from '../../schemas/trajectory.ts';
import { verdictSchema } from '../../schemas/verdict.ts';
import type { RolloutInputs } from './rolloutInputs.ts';
import { StageInputs } from './stageInputs.ts';
import { readLedger, readRecordLines } from './stageJournals.ts';

/** What is read of a judged trajectory. */
const judgedSchema = z.object({ quality: z.object({ verdicts: z.array(verdictSchema) }) });

/**
 * Rollouts that are made until the judge has found enough of them correct can't be made without it.
 *
 * @throws UserError where the stages that work together end before the judge
 */
export function refuseWithoutJudge(stages: readonly StageName[], rollouts: RolloutPlan | undefined): void {
  if (rollouts?.correct === undefined || stages.includes('judge')) return;
  throw new UserError(
    `--until ${stages.at(-1)}: teacher.rollouts.until asks for rollouts by what the judge finds; name judge or a later stage`,
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
  if (record === undefined) rollouts.ended(index, false);
  else if (stage === 'judge') rollouts.ended(index, isJudgedCorrect(record as Trajectory));
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
  if (!rollouts.dependsOnEnds) return;
  for (const index of finished) rollouts.wasBegun(index);
  for (const stage of stages) {
    if (stagesAfter('judge').includes(stage)) return;
    for await (const { index } of readLedger(runFolder, stage)) rollouts.ended(index, false);
    for await (const { index, count } of readRecordLines(runFolder, stage)) {
      if (count === 0) rollouts.ended(index, false);
    }
    if (stage === 'judge') await restoreJudged(runFolder, rollouts);
  }
}

async function restoreJudged(runFolder: string, rollouts: RolloutInputs): Promise<void> {
  const judged = await StageInputs.open(runFolder, 'judge', { isSparse: true });
  try {
    for await (const { index, record } of judged.read(judgedSchema))
      rollouts.ended(index, isJudgedCorrect(record));
  } finally {
    await judged.close();
  }
}
