import { ProblemList } from '../../base/userError.ts';
import type { Session } from '../../contract/session.ts';
import {
  type DatasetStageName,
  hasStage,
  type KindOfStage,
  type StageName,
  stageNames,
  stageRow,
  stagesAfter,
} from '../../contract/stageTable.ts';
import { prefersByJudge } from '../../schemas/config/select.ts';
import { checkFilterTools } from '../compose/filterTools.ts';
import { checkOwnJudge } from '../compose/ownModules.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { openImportSource } from '../import/openImportSource.ts';
import {
  checkToolFiles,
  embeddingNeeds,
  judgeModelNeeds,
  judgeNeeds,
  keyChecks,
  type Need,
  probeNeeds,
  probingNeeds,
  problemsOf,
  serviceNeeds,
} from '../preflight.ts';
import { importingStage } from '../run/runFile.ts';
import type { OpenedStage } from '../run/stageState.ts';
import { type AnyStageOpener, registeredOpener, type StageOpener } from './capabilityStages.ts';
import { openBalance, openFilter, openReview, openSelect } from './openDecidingStages.ts';
import { checkExport, openExport } from './openExport.ts';
import { checkProbe, openDecontaminate, openDedup, openProbe, openTasks } from './openTaskStages.ts';
import { openConvert, openJudge, openRollout } from './openTraceStages.ts';
import type { StageParts } from './stageParts.ts';

/** Stages of dataset runs; capabilities register their own. */
const openers: { readonly [Name in DatasetStageName]: StageOpener<KindOfStage<Name>> } = {
  tasks: { open: openTasks },
  dedup: { open: openDedup },
  decontaminate: { open: openDecontaminate },
  probe: { open: openProbe, checkFiles: checkProbe, needs: probingNeeds },
  rollout: { open: openRollout, checkFiles: checkToolFiles, needs: serviceNeeds },
  convert: { open: openConvert },
  judge: { open: openJudge, checkFiles: checkOwnJudge, needs: judgeNeeds },
  filter: { open: openFilter, checkFiles: ({ config }) => checkFilterTools(config.filters) },
  select: {
    open: openSelect,
    needs: ({ config }) => [
      ...embeddingNeeds(config),
      ...(prefersByJudge(config.select) ? judgeModelNeeds(config) : []),
    ],
  },
  balance: { open: openBalance },
  review: { open: openReview },
  export: { open: openExport, checkFiles: checkExport },
};

function openerOf(name: StageName): AnyStageOpener {
  const own: { readonly [Name in StageName]?: AnyStageOpener } = openers;
  return own[name] ?? registeredOpener(name);
}

/** Stages of a run in order. Imported files replace the stages that made their records. */
export function stagesOfConfig({ config, imported, reviews, synthesis }: LoadedConfig): StageName[] {
  const names = stageNames.filter((name) =>
    hasStage(name, { ...config, reviews, synthesis: synthesis === true }),
  );
  if (!imported) return names;
  const first = importingStage(imported);
  return names.filter((name) => name === first || stagesAfter(first).includes(name));
}

/** Opens a stage for the runner. Its parts open once it has work. */
export function openStage(name: StageName, parts: StageParts): OpenedStage {
  const { imported } = parts.loaded;
  if (imported && name === importingStage(imported))
    return { kind: 'source', stage: openImportSource(imported, parts) };
  return { kind: stageRow(name).kind, stage: openerOf(name).open(parts) } as OpenedStage;
}

/**
 * Checks everything that stages need later, before earlier ones are paid for: files of all stages, also of those left
 * to a later session; keys and endpoints of stages with work.
 *
 * @param work the stages that have work
 * @param files as in {@link missingParts}
 * @throws UserError that lists everything that is missing, RunError for an unreachable endpoint
 */
export async function checkStages(
  loaded: LoadedConfig,
  work: readonly StageName[],
  session: Pick<Session, 'env' | 'offline'>,
  files?: readonly StageName[],
): Promise<void> {
  const missing = await missingParts(loaded, work, session, files);
  if (missing.length > 0) throw new ProblemList(missing);
  if (!session.offline) await probeNeeds(needsOf(loaded, work), session.env);
}

/**
 * Lists what stages with work lack, one sentence each: keys and unusable files. Sends no requests.
 *
 * @param work as in {@link checkStages}
 * @param files stages whose files are checked; default: all that the run works on itself
 */
export async function missingParts(
  loaded: LoadedConfig,
  work: readonly StageName[],
  { env, offline }: Pick<Session, 'env' | 'offline'>,
  files: readonly StageName[] = ownStages(loaded),
): Promise<string[]> {
  return problemsOf([
    ...(offline ? [] : keyChecks(needsOf(loaded, work), env)),
    ...files.map((name) => () => checkStageFiles([name], loaded)),
  ]);
}

/** Checks the files that stages will open. Throws `UserError` for the first unusable one. */
export async function checkStageFiles(names: readonly StageName[], loaded: LoadedConfig): Promise<void> {
  for (const name of names) await openerOf(name).checkFiles?.(loaded);
}

/** Stages that the run works on itself, without those replaced by imported files. */
function ownStages(loaded: LoadedConfig): StageName[] {
  const { imported } = loaded;
  return stagesOfConfig(loaded).filter((name) => !imported || name !== importingStage(imported));
}

/** True if this process uses a stage's services even when workers do its work. */
export function asksFirst(name: StageName, loaded: LoadedConfig): boolean {
  return openerOf(name).asksFirst?.(loaded) ?? false;
}

function needsOf(loaded: LoadedConfig, work: readonly StageName[]): Need[] {
  return ownStages(loaded)
    .filter((name) => work.includes(name))
    .flatMap((name) => openerOf(name).needs?.(loaded) ?? []);
}
