import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { composeStages } from '../../pipeline/compose/composeStages.ts';
import { LazyTeacher } from '../../pipeline/compose/lazyTeacher.ts';
import { Resources } from '../../pipeline/compose/resources.ts';
import type { Composition } from '../../pipeline/compose.ts';
import { type ConfigFingerprint, fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { type FingerprintHashes, stageHashes } from '../../pipeline/config/stageHashes.ts';
import { importedStages } from '../../pipeline/import/importedStages.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { findingStages, readSections } from './decidedStages.ts';

/**
 * The stages of a run that decides anew by other settings. What finds out keeps the settings, versions and hashes that
 * it was made with, so none of it is ever made anew here, and nothing of what it read needs to be there.
 *
 * @throws UserError where a model would have to be asked
 */
export async function composeVariant(
  run: RunFile,
  loaded: LoadedConfig,
  runFolder: string,
): Promise<Composition> {
  refuseEmbeddings(loaded);
  const resources = new Resources();
  let hashes: FingerprintHashes | undefined;
  const planned = composeStages(
    {
      loaded,
      runFolder,
      teacher: new LazyTeacher(() => Promise.reject(new Error('a variant asks no teacher'))),
      openJudgeModel: () => Promise.reject(new Error('a variant asks no judge')),
      openEmbeddings: () => Promise.reject(new Error('a variant asks for no embeddings')),
      sandbox: undefined,
      configHash: () => hashes!.config,
    },
    resources,
  );
  const { imported, config, profiles } = loaded;
  const all = imported
    ? importedStages({ imported, config, profiles, stages: planned, log: () => {} })
    : planned;
  const stages = all.filter(
    ({ stage: { name } }) => !findingStages.includes(name) || run.stage_hashes[name] !== undefined,
  );
  const shaping = await variantShaping(run, loaded);
  const made = findingStages.flatMap((stage): [StageName, string][] =>
    run.stage_hashes[stage] === undefined ? [] : [[stage, run.stage_hashes[stage]]],
  );
  hashes = stageHashes(
    shaping,
    new Map(stages.map(({ stage }) => [stage.name, stage.version])),
    new Map(made),
  );
  return { stages, shaping, hashes, close: () => resources.closeAll() };
}

function refuseEmbeddings({ config }: LoadedConfig): void {
  if (!config.dedup?.trajectories?.semantic) return;
  throw new UserError(
    "dedup.trajectories.semantic asks a model for embeddings, and deciding anew asks none; decide without it by --set 'dedup.trajectories={}', or change the configuration and go on with coa-distill run",
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
