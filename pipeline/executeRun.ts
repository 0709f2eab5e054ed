import { resolve } from 'node:path';
import { type RunFile, runFileSchema } from '../schemas/run/runFile.ts';
import { type Composition, compose } from './compose.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { redactedConfig } from './config/redactedConfig.ts';
import { UserError } from './contract/errors.ts';
import type { Clock } from './contract/ports.ts';
import { type StageName, stageNames } from './contract/stage.ts';
import { explainDiskError } from './files/diskError.ts';
import { withImport } from './import/loadImport.ts';
import { packageVersion } from './packageVersion.ts';
import { checkServices } from './preflight.ts';
import { EventLog } from './run/eventLog.ts';
import { failedThroughout } from './run/failedThroughout.ts';
import { type OpenedRun, openRun } from './run/openRun.ts';
import { stageNameOf } from './run/plannedStage.ts';
import { Interrupted } from './run/runError.ts';
import { type RunObserver, runStages } from './run/runStages.ts';
import { isStageDone, readStageFile } from './run/stageFiles.ts';

/** What {@link executeRun} works with. */
export interface ExecuteRunOptions {
  readonly loaded: LoadedConfig;
  readonly name: string;
  /** Discards this stage and later ones, and makes them anew. */
  readonly from?: StageName;
  /** Stops after this stage. */
  readonly until?: StageName;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly observer: RunObserver;
  readonly log: (line: string) => void;
}

/** How a run ended that was not stopped. */
export interface RunResult {
  readonly folder: string;
  readonly run: RunFile;
  /** True when every stage had been complete before. */
  readonly wasComplete: boolean;
}

/** Where a run's folder is. */
function runFolderOf(loaded: LoadedConfig, name: string): string {
  return resolve(loaded.config.runs_dir, name);
}

/**
 * Runs a configuration, or goes on with a run that was cut off.
 *
 * @throws UserError, RunError, or the signal's reason when the run is stopped
 */
export async function executeRun(options: ExecuteRunOptions): Promise<RunResult> {
  const { name, env, clock, log } = options;
  const folder = runFolderOf(options.loaded, name);
  const loaded = await withImport(options.loaded, folder);
  const composition = await compose({ loaded, runFolder: folder, env, clock, log });
  try {
    const owed = await owedStages(folder, composition, options);
    if (owed.includes('rollout') && !loaded.imported) await checkServices(loaded, env);
    const run = runFile({ ...options, loaded }, composition);
    const opened = await openRun(folder, run, options.from);
    await work(options, composition, opened);
    return { folder, run, wasComplete: owed.length === 0 };
  } finally {
    await composition.close();
  }
}

/** The stages that this call will work on, as far as can be told before the folder is locked. */
async function owedStages(
  folder: string,
  { stages }: Composition,
  { from, until }: Pick<ExecuteRunOptions, 'from' | 'until'>,
): Promise<StageName[]> {
  const last = stageNames.indexOf(until ?? 'export');
  const owed: StageName[] = [];
  for (const stage of stages.map(stageNameOf)) {
    const place = stageNames.indexOf(stage);
    if (place > last) break;
    const isDiscarded = from !== undefined && place >= stageNames.indexOf(from);
    if (isDiscarded || !(await isStageDone(folder, stage))) owed.push(stage);
  }
  return owed;
}

function runFile({ loaded, name, clock }: ExecuteRunOptions, composition: Composition): RunFile {
  return runFileSchema.parse({
    format_version: 1,
    name,
    created_at: new Date(clock.now()).toISOString(),
    coa_distill_version: packageVersion(),
    node_version: process.version,
    seed: loaded.config.seed,
    config_file: loaded.document.file,
    dataset_name: loaded.name,
    config: redactedConfig(loaded.config),
    shaping: composition.shaping,
    config_hash: composition.hashes.config,
    stage_hashes: Object.fromEntries(composition.hashes.stages),
    ...(loaded.imported && { imported: loaded.imported }),
  });
}

async function work(options: ExecuteRunOptions, composition: Composition, opened: OpenedRun): Promise<void> {
  const { folder, isNew } = opened;
  const events = await EventLog.open(folder, options.clock);
  let remove = false;
  try {
    events.write({ event: 'run_started', resumed: !isNew, pid: process.pid });
    await runStages({
      runFolder: folder,
      stages: composition.stages,
      stageHashes: composition.hashes.stages,
      signal: options.signal,
      events,
      observer: options.observer,
      worthless: (stage, counts) => failedThroughout(folder, stage, counts),
      ...(options.until && { until: options.until }),
    });
    events.write({ event: 'run_ended', outcome: 'finished' });
  } catch (error) {
    const explained = explainDiskError(error, folder);
    // A run that failed before its first stage was done has nothing worth keeping.
    remove = explained instanceof UserError && !(await readStageFile(folder, 'tasks'))?.complete;
    const outcome = error instanceof Interrupted ? 'stopped' : 'failed';
    events.write({ event: 'run_ended', outcome, message: (explained as Error).message });
    throw explained;
  } finally {
    try {
      await events.close();
    } finally {
      await opened.close({ remove });
    }
  }
}
