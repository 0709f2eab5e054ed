import { UserError } from '../base/userError.ts';
import { BudgetSpent } from '../contract/errors.ts';
import { stagesBefore } from '../contract/stageTable.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { loadRunConfig } from '../pipeline/import/importedRun.ts';
import type { WorkersOptions } from '../pipeline/workers/runEntry.ts';
import type { Config } from '../schemas/config/config.ts';
import { LEASE_S } from '../schemas/config/scale.ts';
import { loadSynthesis } from '../synthesis/loadSynthesis.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import type { RunCommandOptions } from './runArguments.ts';
import { afterBudget, checkedRunName, overridesOf, resumeCommand, retryOptions } from './runArguments.ts';
import { withProgress } from './withProgress.ts';

/** Default number of worker processes, without a database. */
const PROCESSES = 2;

/** Workers from the options, otherwise the configuration. Undefined: this process. */
function workersOptions(
  { workers, offline }: Pick<RunCommandOptions, 'workers' | 'offline'>,
  scale: Config['scale'],
): WorkersOptions | undefined {
  // Offline runs send no requests.
  if (offline || (workers === undefined && scale === undefined)) return undefined;
  const database = typeof workers === 'string' ? workers : scale?.database;
  const processes =
    typeof workers === 'number' ? workers : (scale?.workers ?? (database === undefined ? PROCESSES : 0));
  return {
    processes,
    leaseS: scale?.lease_s ?? LEASE_S,
    database,
    shardTasks: scale?.shard_tasks,
  };
}

export function runFromCommandLine(configFile: string, options: RunCommandOptions): Promise<number> {
  return workOnRun('run', configFile, options);
}

/** Makes tasks from documents and prints the result. Returns the exit code. */
export function synthesizeFromCommandLine(configFile: string, options: RunCommandOptions): Promise<number> {
  return workOnRun('synthesize', configFile, options);
}

const commands = {
  run: { load: loadRunConfig, finish: async () => (await import('./finishRun.ts')).finishRun },
  synthesize: {
    load: loadSynthesis,
    finish: async () => (await import('./finishSynthesis.ts')).finishSynthesis,
  },
};

async function workOnRun(
  command: keyof typeof commands,
  configFile: string,
  options: RunCommandOptions,
): Promise<number> {
  checkTogether(options);
  const { load, finish } = commands[command];
  if (options.dryRun) {
    const { printPlan } = await import('./printPlan.ts');
    await printPlan(configFile, options, load);
    return 0;
  }
  const startedMs = performance.now();
  loadDotEnv(configFile);
  const { preview, from, until, retry } = options;
  const overrides = overridesOf(preview === undefined ? options : { ...options, limit: preview });
  const loaded = await load(configFile, overrides, options.name);
  const name = checkedRunName(options.name ?? loaded.name);
  // Loaded late, so that configuration errors appear at once.
  const { executeRun, runFolderOf } = await import('../pipeline/executeRun.ts');
  const finishRun = await finish();
  const { sameNameNotice } = await import('../pipeline/run/findRun.ts');
  const folder = runFolderOf(loaded, name);
  const previews = preview === undefined ? undefined : await import('./preview.ts');
  await previews?.refusePreviewOfRun(folder, loaded.limit!);
  const notice = sameNameNotice(folder, configFile);
  if (notice !== undefined) console.error(coloured('yellow', notice, process.stderr));
  const resume = resumeCommand(configFile, options, command);
  const workers = workersOptions(options, loaded.config.scale);
  try {
    const result = await withProgress({ resume, drains: true }, (context) =>
      executeRun({
        ...context,
        loaded,
        name,
        from,
        until,
        retry: retry === undefined ? undefined : retryOptions(retry),
        workers,
        yes: options.yes === true,
        offline: options.offline === true,
      }),
    );
    if (!previews) return await finishRun(result, { json: options.json === true, startedMs });
    const { preview: _, ...whole } = options;
    await previews.printPreview(result, resumeCommand(configFile, whole));
    return 0;
  } catch (error) {
    if (error instanceof BudgetSpent)
      console.error(runnable(afterBudget(error, configFile, options, command)));
    throw error;
  }
}

/** Rejects options that together leave nothing to do. */
function checkTogether({ from, until, workers, offline }: RunCommandOptions): void {
  if (from !== undefined && until !== undefined && stagesBefore(from).includes(until))
    throw new UserError(
      `--from ${from} --until ${until}: ${until} comes before ${from}, so no stage is left to run`,
    );
  if (workers !== undefined && offline)
    throw new UserError('--workers: an offline run sends no request; leave out --workers or --offline');
}
