import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { readStageState } from './readStageStates.ts';
import { runChain } from './runChain.ts';
import type { OpenedStage, RunStage, StageState } from './stageState.ts';
import type { RunStagesOptions, StageWork } from './stageWork.ts';

/**
 * Runs the stages that are pending. Those that look at one record at a time and follow one another work together, each
 * on what the one before has finished; the others work on the whole output of the one before. A stage that was cut off
 * is resumed where it stopped when it looks at one record at a time, and starts again when it needs to see all; what a
 * stale stage made is discarded when it begins.
 *
 * @returns how many stages were worked on
 * @throws Error when the counts of a stage do not add up
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

/** The first of `stages`, and those that work together with it: all look at one record at a time. */
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
    // Of tasks that are rolled out all must be there.
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
