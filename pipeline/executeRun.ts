import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { UserError } from '../base/userError.ts';
import { capsOf } from '../calls/budget/capsOf.ts';
import { SessionCalls } from '../calls/sessionCalls.ts';
import { type StageName, stageRow, stagesAfter } from '../contract/stageTable.ts';
import type { SectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { asksEndpoint } from '../schemas/config/teacherBackends.ts';
import { type RunFile, runFileSchema } from '../schemas/run/runFile.ts';
import { withReviews } from '../stages/review/reviewFile.ts';
import { cachePath } from './compose/openCache.ts';
import { type Composition, compose } from './compose.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { redactedConfig } from './config/resolveConfigPaths.ts';
import { taskMaking } from './config/taskMaking.ts';
import { toolsOf } from './config/toolsConfig.ts';
import { createSession } from './createSession.ts';
import { withImport, writeProfileFile } from './import/importedRun.ts';
import { openRun } from './run/openRun.ts';
import { readStageStates } from './run/readStageStates.ts';
import { refuseWithoutJudge } from './run/rolloutOutcomes.ts';
import { defaultsFile, readRunFile, runFacts } from './run/runFile.ts';
import { paidRerunReason, type StageState } from './run/stageState.ts';
import { StopSwitch } from './run/stopSwitch.ts';
import { asksFirst, checkStages } from './stages/stageOpeners.ts';
import { refuseWithoutWorkers } from './workers/workersFile.ts';
import { type ExecuteRunOptions, workSession } from './workSession.ts';

export interface RunResult {
  readonly folder: string;
  readonly run: RunFile;
  readonly wasComplete: boolean;
}

export function runFolderOf(loaded: LoadedConfig, name: string): string {
  return resolve(loaded.config.runs_dir, name);
}

/**
 * Runs a configuration, or resumes an interrupted run. Stages with a changed configuration are rerun.
 *
 * @throws UserError, RunError, or the `RunHalted` with which the run was stopped
 */
export async function executeRun(options: ExecuteRunOptions): Promise<RunResult> {
  const { name, env, clock, log, offline = false, retry } = options;
  refuseWithoutJudge(options.loaded.config, options.until);
  const folder = runFolderOf(options.loaded, name);
  if (!options.workers) await refuseWithoutWorkers(folder);
  const planned = (await readRunFile(folder))?.config_hash ?? null;
  const loaded = await withReviews(await withImport(options.loaded, folder), folder, log);
  const caps = capsOf(loaded.config, toolsOf(loaded), makersOf(loaded));
  const stopSwitch = new StopSwitch({ drain: options.drain ?? options.signal, signal: options.signal });
  const calls = new SessionCalls(stopSwitch.drain, log);
  await using session = createSession({ env, clock, offline, calls, log });
  const composition = await compose(loaded, folder, session);
  const states = await readStageStates(folder, composition.stages, options);
  const pending = pendingOf(states, options.until);
  refuseSurprise({ ...options, loaded }, folder, states);
  const work = states
    .filter((state) => pending.includes(state) || (retry && !stageRow(state.stage).repeatable))
    .map(({ stage }) => stage);
  // Remote workers have their own keys.
  const own =
    options.workers?.processes === 0
      ? work.filter((stage) => stageRow(stage).endpoint === undefined || asksFirst(stage, loaded))
      : work;
  if (work.length > 0) await checkStages(loaded, own, session);
  const run = runFile({ ...options, loaded }, composition);
  const opened = await openRun(folder, run, { ...options, planned });
  if (loaded.imported) await writeProfileFile(folder, loaded.imported);
  const worked = await workSession({
    options: { ...options, loaded },
    composition,
    opened,
    stopSwitch,
    calls,
    caps,
  });
  return { folder, run, wasComplete: worked === 0 };
}

/** Models called in place of the teacher; undefined for a dataset run. */
function makersOf({ config, synthesis }: LoadedConfig): readonly SectionModel[] | undefined {
  return synthesis && taskMaking()!.askedModels(config);
}

/** Stages that this call will run, judged before the folder is locked. */
function pendingOf(states: readonly StageState[], until: StageName | undefined): StageState[] {
  const later = until === undefined ? [] : stagesAfter(until);
  return states.filter(({ stage, kind }) => kind !== 'done' && !later.includes(stage));
}

function refuseSurprise(
  { loaded, offline, yes, until }: ExecuteRunOptions,
  folder: string,
  states: readonly StageState[],
): void {
  const isFree = loaded.imported || offline || !asksEndpoint(loaded.config.teacher);
  if (isFree || yes || !pendingOf(states, until).some(({ stage }) => stage === 'rollout')) return;
  const hasCache = existsSync(cachePath(loaded.config, folder));
  const surprise = paidRerunReason(states, hasCache);
  if (surprise === undefined) return;
  throw new UserError(
    `${folder} was made with ${surprise}: its traces would be made again, and every model call that the cache does not answer is paid for; resume with --yes, see what is pending with --dry-run, or keep this run and choose another --name`,
  );
}

function configFileOf({ document: { file } }: LoadedConfig, folder: string): string {
  return file === defaultsFile ? file : relative(folder, file);
}

function runFile({ loaded, name, clock }: ExecuteRunOptions, composition: Composition): RunFile {
  return runFileSchema.parse({
    format_version: 1,
    name,
    ...runFacts(clock),
    seed: loaded.config.seed,
    config_file: configFileOf(loaded, runFolderOf(loaded, name)),
    ...(loaded.document.set && { set: [...loaded.document.set] }),
    dataset_name: loaded.name,
    config: redactedConfig(loaded.config),
    shaping: composition.shaping,
    config_hash: composition.hashes.config,
    stage_hashes: Object.fromEntries(composition.hashes.stages),
    ...(loaded.imported && { imported: loaded.imported }),
  });
}
