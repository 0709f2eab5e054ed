import { UserError } from '../../base/userError.ts';
import { type StageName, stagesWhere } from '../../contract/stageTable.ts';
import { intactStageFile, isStageDone, readStageFile } from './stageFiles.ts';
import { type StageState, type StageTarget, stageState } from './stageState.ts';

/** The stages that the user names. */
export interface AskedStages {
  /** This one and what follows is rerun, whatever is damaged there. */
  readonly from?: StageName | undefined;
  /** The last to run. */
  readonly until?: StageName | undefined;
}

/**
 * Where each stage of a run folder stands, in their order; all are unbegun where there is no folder.
 *
 * @throws UserError for a stage that the run does not have, and when the file of a stage before `from` is damaged
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

/** Where one stage stands; `before` is the state of the stage before it. */
export async function readStageState(
  runFolder: string,
  wanted: StageTarget,
  before: StageState | undefined,
): Promise<StageState> {
  const file = await readStageFile(runFolder, wanted.stage);
  const isDone = await isStageDone(runFolder, wanted.stage);
  return stageState(wanted, { file, isDone, before });
}

/** The states as they are once the user has asked for `from` and what follows to be made again. */
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

/** Throws `UserError` for `--from` and `--until` with a stage that the run does not have. */
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
