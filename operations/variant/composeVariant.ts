import type { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { type StageName, stageRow, stagesWhere } from '../../contract/stageTable.ts';
import { type Composition, runParts, runStage } from '../../pipeline/compose.ts';
import { type ConfigFingerprint, fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { stageHashes } from '../../pipeline/config/stageHashes.ts';
import { createSession } from '../../pipeline/createSession.ts';
import type { RunStage } from '../../pipeline/run/stageState.ts';
import { checkStageFiles, openStage, stagesOfConfig } from '../../pipeline/stages/stageOpeners.ts';
import { prefersByJudge } from '../../schemas/config/select.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { readSections } from './changedConfig.ts';

/** Stages whose output a refiltered run reuses. */
export const findingStages: readonly StageName[] = stagesWhere(({ decides }) => !decides);

/**
 * Stages of a refiltered run. Reused stages keep their settings and hashes, so they are never stale and their inputs
 * need not exist.
 *
 * @throws UserError if a model call would be needed
 */
export async function composeVariant(
  run: RunFile,
  loaded: LoadedConfig,
  runFolder: string,
  resources: Resources,
): Promise<Composition> {
  refuseAsking(loaded);
  const shaping = await variantShaping(run, loaded);
  const made = new Map(
    findingStages.flatMap((stage): [StageName, string][] =>
      run.stage_hashes[stage] === undefined ? [] : [[stage, run.stage_hashes[stage]]],
    ),
  );
  const stagesNow = stagesOfConfig(loaded);
  const takenOver = stagesNow.filter((stage) => !stageRow(stage).decides && made.has(stage));
  const parts = {
    ...runParts({ loaded, runFolder, shaping }),
    ...createSession({ env: {}, offline: true, resources }),
  };
  const deciding = stagesNow.filter((stage) => stageRow(stage).decides);
  await checkStageFiles(deciding, loaded);
  const opened = deciding.map((stage) => openStage(stage, parts));
  const hashes = stageHashes(shaping, new Map(opened.map(({ stage }) => [stage.name, stage.version])), made);
  const stages: RunStage[] = [
    ...takenOver.map((stage) => ({
      stage,
      version: undefined,
      configHash: made.get(stage)!,
      settings: shaping[stage]!,
    })),
    ...opened.map((stage) => runStage(stage, shaping, hashes)),
  ];
  return { stages, shaping, hashes };
}

function refuseAsking({ config }: LoadedConfig): void {
  if (prefersByJudge(config.select))
    throw new UserError(
      'select.best_of.by: judge asks a model, and deciding again asks none; decide without it by --set select.best_of.by=shortest, or change the configuration and resume with coa-distill run',
    );
  if (!config.dedup?.trajectories?.semantic) return;
  throw new UserError(
    "dedup.trajectories.semantic asks a model for embeddings, and deciding again asks none; decide without it by --set 'dedup.trajectories={}', or change the configuration and resume with coa-distill run",
  );
}

async function variantShaping(run: RunFile, loaded: LoadedConfig): Promise<ConfigFingerprint> {
  const own = await fingerprintConfig(loaded, ({ keys }) => readSections.includes(keys[0]));
  const found = findingStages.flatMap((stage) =>
    run.shaping[stage] === undefined ? [] : [[stage, run.shaping[stage]]],
  );
  const deciding = Object.entries(own).filter(([stage]) => !findingStages.includes(stage as StageName));
  return Object.fromEntries([...found, ...deciding]) as ConfigFingerprint;
}
