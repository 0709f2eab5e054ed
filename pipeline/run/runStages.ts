import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { readStageState } from './readStageStates.ts';
import { runChain } from './runChain.ts';
import type { OpenedStage, RunStage, StageState } from './stageState.ts';
import type { RunStagesOptions, StageWork } from './stageWork.ts';

/**
 * Runs the pending stages. Consecutive per-record stages run as a chain; others wait for the complete output of the
 * stage before. An interrupted per-record stage resumes, other stages restart. The output of a stale stage is discarded
 * when it begins.
 *
 * @returns number of stages worked on
 * @throws Error if the counts of a stage do not add up
 */
export async function runStages(options: RunStagesOptions): Promise<number> {
  const { runFolder, stop, until } = options;
  const last = options.stages.findIndex(({ stage }) => stage === until);
  const stages = last < 0 ? options.stages : options.stages.slice(0, last + 1);
  let before: StageState | undefined;
  let worked = 0;
  for (let at = 0; at < stages.length; ) {
    const state = await readStageState(runFolder, stages[at]!, before);
    let passed = 1;
    if (state.kind !== 'done') {
      stop.drain.throwIfAborted();
      const chain = await chainFrom(runFolder, stages.slice(at), { state, before: before?.stage });
      await runChain(options, chain);
      passed = chain.length;
      worked += passed;
    }
    at += passed;
    before = { stage: stages[at - 1]!.stage, kind: 'done' };
  }
  return worked;
}

/** Returns the first of `stages` and the per-record stages chained to it. */
async function chainFrom(
  runFolder: string,
  stages: readonly RunStage[],
  first: { readonly state: StageState; readonly before: StageName | undefined },
): Promise<StageWork[]> {
  const chain: StageWork[] = [];
  let { state, before } = first;
  for (const wanted of stages) {
    if (chain.length > 0) state = await readStageState(runFolder, wanted, state);
    const opened = openedOf(wanted, runFolder);
    // Rollouts need all tasks first.
    const isAlone = opened.kind !== 'record';
    if (chain.length > 0 && (isAlone || opened.stage.rollouts)) break;
    chain.push({ opened, wanted, state, before });
    if (isAlone) break;
    before = wanted.stage;
  }
  return chain;
}

function openedOf({ stage, opened }: RunStage, runFolder: string): OpenedStage {
  if (opened) return opened;
  throw new UserError(
    `${runFolder}: the records of ${stage} were taken over from another run and are no longer complete; remove the folder and make it again`,
  );
}
