import { explainDiskError, onDisk } from '../base/files/diskError.ts';
import { Resources } from '../base/resources.ts';
import { UserError } from '../base/userError.ts';
import { type Amount, SpendingLog } from '../calls/budget/spendingLog.ts';
import { type Caps, SpendingMeter } from '../calls/budget/spendingMeter.ts';
import { openTelemetry } from '../calls/openTelemetry.ts';
import { callEvents, type SessionCalls } from '../calls/sessionCalls.ts';
import { BudgetSpent, RunHalted } from '../contract/errors.ts';
import type { Session } from '../contract/session.ts';
import type { StageName } from '../contract/stageTable.ts';
import type { Composition } from './compose.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import type { SessionObserver } from './createSession.ts';
import { importedNothing } from './import/refusedRows.ts';
import { type EventLog, openEventLog } from './run/eventLog.ts';
import { failedThroughout } from './run/failedThroughout.ts';
import type { OpenedRun } from './run/openRun.ts';
import type { RetryOptions } from './run/retryFailed.ts';
import { noteSpent } from './run/runSpending.ts';
import { readStageFile } from './run/stageFiles.ts';
import type { StopSwitch } from './run/stopSwitch.ts';
import { runWindows } from './run/windows/runWindows.ts';
import type { Coordinator } from './workers/coordinator.ts';
import type { WorkersOptions } from './workers/runEntry.ts';

interface RunSession {
  readonly options: ExecuteRunOptions;
  readonly composition: Composition;
  readonly opened: OpenedRun;
  readonly stopSwitch: StopSwitch;
  readonly calls: SessionCalls;
  readonly caps: Caps;
}

/**
 * Works on the pending stages of a run with its events and spending log open, then unlocks the run folder.
 *
 * @returns number of stages worked on
 * @throws whatever ended the work, disk errors explained
 */
export async function workSession(session: RunSession): Promise<number> {
  const { options, opened } = session;
  const { folder } = opened;
  const outputs = new Resources();
  // Closed last, once all bills are on disk.
  outputs.keep({ close: () => onDisk(folder, () => noteSpent(folder)) });
  let remove = false;
  let events: EventLog | undefined;
  try {
    events = outputs.keep(await openEventLog(folder, options.clock));
    const worked = await runWithLogs(session, events, outputs);
    events.write({ event: 'run_ended', outcome: 'finished' });
    return worked;
  } catch (error) {
    const explained = explainDiskError(error, folder);
    // A run that failed before completing its first stage has nothing worth keeping.
    const first = session.composition.stages[0]!.stage;
    remove = explained instanceof UserError && !(await readStageFile(folder, first))?.complete;
    events?.write({ event: 'run_ended', outcome: outcomeOf(error), message: (explained as Error).message });
    throw explained;
  } finally {
    await outputs.closeAll().finally(() => opened.close({ remove }));
  }
}

function outcomeOf(error: unknown): 'budget_spent' | 'stopped' | 'failed' {
  if (error instanceof BudgetSpent) return 'budget_spent';
  return error instanceof RunHalted ? 'stopped' : 'failed';
}

async function runWithLogs(session: RunSession, events: EventLog, outputs: Resources): Promise<number> {
  const { options, composition, opened, stopSwitch, calls, caps } = session;
  const { observer, log, until, shared, env, clock, name } = options;
  const { imported, config, document } = options.loaded;
  const { folder, isNew, retried } = opened;
  const spendingLog = outputs.keep(await SpendingLog.open(folder, clock));
  const telemetry = await openTelemetry({ env, run: name, log });
  if (telemetry) outputs.keep(telemetry);
  const coordinator = await attachCoordinator(session, spendingLog);
  const { drain } = stopSwitch;
  const onSpent = (reason: BudgetSpent) => stopSwitch.stop(reason);
  const spentElsewhere = shared && { spentElsewhere: shared.spent };
  const meter =
    coordinator?.meter ?? new SpendingMeter({ log: spendingLog, caps, drain, onSpent, ...spentElsewhere });
  calls.connect(meter, [callEvents(events), observer, ...(telemetry ? [telemetry.observer] : [])]);
  observer.began?.(meter);
  events.write({ event: 'run_started', resumed: !isNew, pid: process.pid });
  if (retried) {
    events.write({ event: 'inputs_pending_again', ...retried });
    log(`${retried.stage}: ${retried.inputs} failed inputs are worked on again`);
  }
  const stopClock = stopAfterHours(options, stopSwitch);
  try {
    return await runWindows({
      runFolder: folder,
      target: config.target,
      stages: coordinator?.stages ?? composition.stages,
      stop: stopSwitch,
      events,
      observer,
      log,
      worthless: async (stage, counts) =>
        (await failedThroughout(folder, stage, counts, document.file)) ??
        (imported && (await importedNothing(folder, stage, counts, imported))),
      until,
    });
  } finally {
    stopClock();
    await coordinator?.end();
  }
}

/** Loaded lazily together with the database client, which only distributed runs need. */
async function attachCoordinator(
  { options, composition, opened, stopSwitch, calls, caps }: RunSession,
  spendingLog: SpendingLog,
): Promise<Coordinator | undefined> {
  const { workers, loaded, name, clock, log, env } = options;
  if (!workers) return undefined;
  const { Coordinator } = await import('./workers/coordinator.ts');
  return Coordinator.attach({
    workers,
    runFolder: opened.folder,
    runName: name,
    loaded,
    composition,
    spendingLog,
    caps,
    stopSwitch,
    session: { calls, clock, log, env },
  });
}

/** Drains the run at `budget.max_hours`; returns a function that ends the timer. */
function stopAfterHours({ loaded, clock, shared }: ExecuteRunOptions, stopSwitch: StopSwitch): () => void {
  const { max_hours: hours } = loaded.config.budget;
  if (hours === undefined) return () => {};
  const usedMs = shared ? clock.monotonicMs() - shared.beganAtMs : 0;
  const ended = new AbortController();
  const message = `the budget is spent: budget.max_hours is ${hours}`;
  const over = () => stopSwitch.stop(new BudgetSpent(message, { isOfRun: false }));
  clock.sleep(Math.max(0, hours * 3_600_000 - usedMs), ended.signal).then(over, () => undefined);
  return () => ended.abort();
}

interface SharedBudget {
  /** Amount spent by the other runs. */
  readonly spent: Amount;
  /** Monotonic start time of the first run; `budget.max_hours` counts from there. */
  readonly beganAtMs: number;
}

export interface ExecuteRunOptions extends Pick<Session, 'env' | 'clock' | 'log'> {
  readonly loaded: LoadedConfig;
  readonly name: string;
  /** Reruns this stage and later ones; their old output is discarded when they begin. */
  readonly from?: StageName | undefined;
  readonly until?: StageName | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Confirms that finished traces are rerun by a paid model after a configuration change. */
  readonly yes?: boolean;
  /** Default: the budget is this run's alone. */
  readonly shared?: SharedBudget;
  /** Default: this process does all the work. */
  readonly workers?: WorkersOptions | undefined;
  /** As in {@link Session}; default: false. */
  readonly offline?: boolean;
  /** Drain signal, aborted with a `RunHalted`: finishes running work and starts nothing new. */
  readonly drain?: AbortSignal;
  /** Stop signal, aborted with a `RunHalted`: abandons running work. */
  readonly signal: AbortSignal;
  readonly observer: SessionObserver;
}
