import { UserError } from '../../base/userError.ts';
import { type StageName, stagesWhere } from '../../contract/stageTable.ts';
import { intactStageFile, isStageDone, readStageFile } from './stageFiles.ts';
import { type StageState, type StageTarget, stageState } from './stageState.ts';

export interface AskedStages {
  /** Reruns from this stage, ignoring damage after it. */
  readonly from?: StageName | undefined;
  readonly until?: StageName | undefined;
}

/**
 * States of a run folder's stages in order; all unbegun without a folder.
 *
 * @throws UserError for a stage that the run does not have, and if the file of a stage before `from` is damaged
 */
export async function readStageStates(
  runFolder: string,
  wanted: readonly StageTarget[],
  { from, until }: AskedStages = {},
): Promise<StageState[]> {
  refuseAbsent(wanted, { from, until });
  const states: StageState[] = [];
  for (const stage of wanted) {
    const isAsked = stage.stage === from || states.some((state) => state.stage === from);
    const begun = isAsked ? await intactStageFile(runFolder, stage.stage) : undefined;
    if (isAsked && !begun) states.push({ stage: stage.stage, kind: 'unbegun' });
    else states.push(await readStageState(runFolder, stage, states.at(-1)));
  }
  return askedFrom(states, from);
}

export async function readStageState(
  runFolder: string,
  wanted: StageTarget,
  before: StageState | undefined,
): Promise<StageState> {
  const file = await readStageFile(runFolder, wanted.stage);
  const isDone = await isStageDone(runFolder, wanted.stage);
  return stageState(wanted, { file, isDone, before });
}

/** States after `from` and later stages are marked for a rerun. */
function askedFrom(states: readonly StageState[], from: StageName | undefined): StageState[] {
  const first = states.findIndex(({ stage }) => stage === from);
  if (first < 0) return [...states];
  return states.map((state, place): StageState => {
    if (place < first || state.kind === 'unbegun') return state;
    const asked = { kind: place === first ? 'asked' : 'inputs' } as const;
    const known = state.kind === 'stale' ? state.reasons.filter(({ kind }) => kind !== asked.kind) : [];
    return { stage: state.stage, kind: 'stale', reasons: [...known, asked] };
  });
}

/** Throws `UserError` if `--from` or `--until` names a stage that the run does not have. */
function refuseAbsent(stages: readonly StageTarget[], asked: AskedStages): void {
  const names = stages.map(({ stage }) => stage);
  const optional = stagesWhere(({ askedBy }) => askedBy !== undefined);
  for (const [option, stage] of Object.entries(asked)) {
    if (stage === undefined || names.includes(stage)) continue;
    throw new UserError(
      `--${option} ${stage}: the run has no such stage; its stages are ${names.join(', ')} (${optional.join(', ')} are there where the configuration asks for them)`,
    );
  }
}
