import type { Session } from '../../contract/session.ts';
import {
  hasStage,
  type KindOfStage,
  type StageKind,
  type StageName,
  stageNames,
  stageRow,
  stagesAfter,
} from '../../contract/stageTable.ts';
import { checkFilterTools } from '../compose/filterTools.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { importingStage, openImportSource } from '../import/openImportSource.ts';
import { checkEmbeddingKeys, checkJudgeModel, checkServices, checkToolTokenizers } from '../preflight.ts';
import type { OpenedStage } from '../run/runStage.ts';
import { openBalance, openFilter, openSelect } from './openDecidingStages.ts';
import { checkExport, openExport } from './openExport.ts';
import { openDecontaminate, openDedup, openTasks } from './openTaskStages.ts';
import { openConvert, openJudge, openRollout } from './openTraceStages.ts';
import type { StageParts } from './stageParts.ts';

/** What a row of the stage table says that only a run needs: how the stage is opened, and what can be tried early. */
interface StageOpener<Kind extends StageKind> {
  /** Opens nothing that costs: models, servers and files wait until the stage has work. */
  open(parts: StageParts): Extract<OpenedStage, { kind: Kind }>['stage'];
  /** Tries the files that the stage will open, before anything is spent on earlier ones. Throws `UserError`. */
  readonly checkFiles?: (loaded: LoadedConfig) => Promise<void>;
  /** Looks for keys that the stage needs. Throws `UserError`. */
  readonly checkKeys?: (loaded: LoadedConfig, env: NodeJS.ProcessEnv) => void;
  /** Tries the endpoints that the stage asks, with their keys. Throws `UserError` or `RunError`. */
  readonly checkEndpoints?: (loaded: LoadedConfig, env: NodeJS.ProcessEnv) => Promise<void>;
}

const openers: { readonly [Name in StageName]: StageOpener<KindOfStage<Name>> } = {
  tasks: { open: openTasks },
  dedup: {
    open: openDedup,
    checkKeys: ({ config }, env) => {
      if (config.filters.duplicate_questions === 'drop') checkEmbeddingKeys('questions', config, env);
    },
  },
  decontaminate: { open: openDecontaminate },
  rollout: { open: openRollout, checkFiles: checkToolTokenizers, checkEndpoints: checkServices },
  convert: { open: openConvert },
  judge: { open: openJudge, checkEndpoints: checkJudgeModel },
  filter: { open: openFilter, checkFiles: ({ config }) => checkFilterTools(config.filters) },
  select: {
    open: openSelect,
    checkKeys: ({ config }, env) => checkEmbeddingKeys('trajectories', config, env),
  },
  balance: { open: openBalance },
  export: { open: openExport, checkFiles: checkExport },
};

/** The stages of a run with this configuration, in their order. Imported files stand in for what made their records. */
export function stagesOfConfig({ config, imported }: LoadedConfig): StageName[] {
  const names = stageNames.filter((name) => hasStage(name, config));
  if (!imported) return names;
  const first = importingStage(imported);
  return names.filter((name) => name === first || stagesAfter(first).includes(name));
}

/** Opens a stage for the runner. Nothing behind it is opened before it has work. */
export function openStage(name: StageName, parts: StageParts): OpenedStage {
  const { imported } = parts.loaded;
  if (imported && name === importingStage(imported))
    return { kind: 'source', stage: openImportSource(imported, parts) };
  return { kind: stageRow(name).kind, stage: openers[name].open(parts) } as OpenedStage;
}

/**
 * Tries what stages open and ask only once earlier ones are paid for: files of all stages, also of those that a later
 * session makes; keys and endpoints of those that have work.
 *
 * @param work the stages that have work
 * @throws UserError for the first that can't be used, RunError for an endpoint that can't be reached
 */
export async function checkStages(
  loaded: LoadedConfig,
  work: readonly StageName[],
  { env, offline }: Session,
): Promise<void> {
  const { imported } = loaded;
  const own = stagesOfConfig(loaded).filter((name) => !imported || name !== importingStage(imported));
  for (const name of own) await openers[name].checkFiles?.(loaded);
  if (offline) return;
  const asking = own.filter((name) => work.includes(name));
  for (const name of asking) openers[name].checkKeys?.(loaded, env);
  for (const name of asking) await openers[name].checkEndpoints?.(loaded, env);
}
