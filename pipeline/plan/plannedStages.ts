import { systemClock } from '../../base/systemClock.ts';
import { SessionCalls } from '../../calls/observe/sessionCalls.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { compose } from '../compose.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { runFolderOf } from '../executeRun.ts';
import { withImport } from '../import/loadImport.ts';
import { readStageStates } from '../run/readStageStates.ts';
import { refuseAbsentStage } from '../run/refuseAbsentStage.ts';
import type { StageState } from '../run/stageState.ts';
import { stageTargets } from '../run/stageTargets.ts';

/**
 * Where the stages of a run stand under a configuration, with what `--from` asks for. Writes nothing.
 *
 * @throws UserError for a stage that the run does not have
 */
export async function plannedStages(
  loaded: LoadedConfig,
  name: string,
  asked: { readonly from?: StageName | undefined; readonly until?: StageName | undefined },
): Promise<StageState[]> {
  const runFolder = runFolderOf(loaded, name);
  const composition = await compose({
    loaded: await withImport(loaded, runFolder),
    runFolder,
    env: {},
    clock: systemClock,
    offline: true,
    calls: new SessionCalls(AbortSignal.abort(), () => {}),
    log: () => {},
  });
  try {
    const { stages, shaping, hashes } = composition;
    refuseAbsentStage(stages, asked);
    return readStageStates(runFolder, stageTargets(stages, shaping, hashes), asked.from);
  } finally {
    await composition.close();
  }
}
