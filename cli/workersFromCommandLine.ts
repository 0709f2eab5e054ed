import { dollars } from '../base/figures.ts';
import { printable } from '../base/printable.ts';
import { systemClock } from '../base/systemClock.ts';
import { commandWorkers, jobsOf, startWorkers, stopJobs } from '../operations/startWorkers.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { type CountedRun, countRuns } from '../pipeline/workers/countRuns.ts';
import { SharedDatabase } from '../pipeline/workers/database/sharedDatabase.ts';
import { workOnRuns } from '../pipeline/workers/workOnRuns.ts';
import { trainingConfigSchema } from '../schemas/config/training.ts';
import { shardsText } from '../schemas/run/workersView.ts';
import type { LauncherName } from '../schemas/training/jobNames.ts';
import { formatCount } from './format.ts';
import { outputMode } from './outputMode.ts';
import { stopOnSignals } from './stopOnSignals.ts';

function databaseOf(url: string | undefined): string {
  return url ?? process.env.COA_DISTILL_DATABASE ?? '';
}

/** Works on runs of other machines until stopped; the first signal lets calls in flight finish. */
export async function joinFromCommandLine(
  url: string | undefined,
  { once = false }: { readonly once?: boolean },
): Promise<void> {
  using stop = stopOnSignals({ drains: () => true });
  const { drain, signal } = stop;
  const log = (line: string): void => {
    if (!outputMode.isQuiet) console.error(line);
  };
  const database = databaseOf(url);
  await workOnRuns({ database, once, drain, signal, env: process.env, clock: systemClock, log });
}

export async function startFromCommandLine(
  url: string | undefined,
  options: { launcher: LauncherName; count: number; config?: string; folder: string },
): Promise<void> {
  const { launcher, count, folder } = options;
  const training =
    options.config === undefined
      ? trainingConfigSchema.parse({})
      : (await loadConfig(options.config)).config.training;
  await startWorkers({ database: databaseOf(url), launcher, count, folder, training, clock: systemClock });
  console.log(
    `${count} ${count === 1 ? 'worker' : 'workers'} started by ${launcher}; their files are in ${folder}`,
  );
}

export async function printWorkers(
  url: string | undefined,
  { folder, json }: { folder?: string; json?: true },
): Promise<void> {
  const counted = (await withTables(url, (database) => countRuns(database))) ?? [];
  const runs = counted.map((run) => ({
    ...run,
    workers: run.workers.filter(({ state }) => state === 'working'),
  }));
  const jobs = folder === undefined ? undefined : await jobsOf(folder, systemClock);
  if (json) return void console.log(JSON.stringify({ runs, ...(jobs && { jobs }) }));
  const lines = runs.flatMap(runLines);
  if (runs.length === 0) lines.push('no run');
  for (const job of jobs ?? []) lines.push(`${job.folder}: ${job.state}`);
  console.log(lines.join('\n'));
}

/** Tells workers to end, after their calls in flight or at once. */
export async function stopFromCommandLine(
  url: string | undefined,
  { worker, folder, now }: { readonly worker?: string; readonly folder?: string; readonly now?: true },
): Promise<void> {
  const command = now ? 'stop' : 'drain';
  const told = (await withTables(url, (database) => commandWorkers(database, command, worker))) ?? [];
  console.log(
    told.length === 0 ? 'no worker is working' : `told to ${command}: ${told.map(printable).join(', ')}`,
  );
  if (folder === undefined) return;
  const jobs = await stopJobs(folder, systemClock);
  console.log(`${jobs} ${jobs === 1 ? 'job' : 'jobs'} of ${folder} ended`);
}

function runLines(run: CountedRun): string[] {
  const { name, version, state, workers } = run;
  return [
    `${printable(name)} (coa-distill ${printable(version)}): ${state} · ${shardsText(run)}`,
    ...workers.map((worker) => {
      const parts = [
        `${worker.tasks_in_hand} of ${worker.room} tasks`,
        `${formatCount(worker.calls_in_flight)} calls in flight`,
        ...(worker.cost_usd > 0 ? [dollars(worker.cost_usd)] : []),
        `lease ${worker.lease_left_s} s`,
        ...(worker.told ? [`told to ${worker.told}`] : []),
      ];
      return `  ${printable(worker.name)}  ${parts.join(' · ')}`;
    }),
    ...(workers.length === 0 ? ['  no worker'] : []),
  ];
}

/** Undefined for a database without tables, which never had a run. */
async function withTables<T>(
  url: string | undefined,
  work: (database: SharedDatabase) => Promise<T>,
): Promise<T | undefined> {
  const log = (line: string) => console.error(line);
  const database = await SharedDatabase.open(databaseOf(url), log, { makesTables: false });
  try {
    return (await database.hasTables()) ? await work(database) : undefined;
  } finally {
    await database.close();
  }
}
