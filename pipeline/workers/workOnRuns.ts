import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionCalls } from '../../calls/sessionCalls.ts';
import { RunHalted } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { Identified, RecordStage } from '../../contract/stage.ts';
import { openRunStages } from '../compose.ts';
import { createSession } from '../createSession.ts';
import { RunError } from '../run/runError.ts';
import { runRecordStage } from '../run/stageRunner.ts';
import { type StopSignals, StopSwitch } from '../run/stopSwitch.ts';
import { checkStages } from '../stages/stageOpeners.ts';
import { createCallRelay } from './callRelay.ts';
import { ClaimedShards } from './claimedShards.ts';
import { Membership, type SharedRunState } from './database/membership.ts';
import { SharedAnswerCache } from './database/sharedAnswerCache.ts';
import { SharedDatabase, WorkerLost } from './database/sharedDatabase.ts';
import { SharedMeter } from './database/sharedMeter.ts';
import { SharedTurns } from './database/sharedTurns.ts';
import { fetchFiles } from './sharedFiles.ts';
import { findOpenRun, loadedOf, type OpenRun } from './sharedRun.ts';

/** Polling interval for a run. */
const IDLE_MS = 500;
/** Timeout of a worker that runs once: its job may have started after the run ended. */
const ONCE_IDLE_MS = 600_000;
/** Initial timeout for an unreachable database, which may be restarting. */
const ABSENT_MS = 60_000;

const leaving: Partial<Record<SharedRunState, string>> = {
  draining: 'the run drains',
  abandoned: 'its coordinator is away, and another run waits for workers',
};

/** Options of a worker. Its signals abort with a `RunHalted`. */
export interface WorkOptions extends Pick<Session, 'env' | 'clock' | 'log'>, StopSignals {
  /** `postgres://...` */
  readonly database: string;
  /** Ends after its first run, or after ten minutes without one. Default: waits for the next run. */
  readonly once?: boolean;
}

/**
 * Works on the open run of a database and on later ones until stopped. A worker that loses its lease finishes its calls
 * in flight and joins again.
 *
 * @throws UserError for an unusable database, version or key; the reason of a stop that abandons running work
 */
export async function workOnRuns(asked: WorkOptions): Promise<void> {
  const { clock, log } = asked;
  const commanded = { drain: new AbortController(), stop: new AbortController() };
  const drain = AbortSignal.any([asked.drain, commanded.drain.signal]);
  const signal = AbortSignal.any([asked.signal, commanded.stop.signal]);
  const onCommand = (command: keyof typeof commanded) => {
    commanded[command].abort(new RunHalted(`told to ${command} by coa-distill workers ${command}`));
  };
  const options = { ...asked, drain, signal, onCommand };
  const reach = { makesTables: false, absentMs: ABSENT_MS, signal: drain };
  const database = await SharedDatabase.open(asked.database, log, reach).catch((error: unknown) => {
    if (!drain.aborted) throw error;
  });
  if (!database) return;
  const stopped = once(drain, 'abort');
  try {
    log(`${database.address}: waiting for a run`);
    const giveUpAtMs = clock.monotonicMs() + ONCE_IDLE_MS;
    for (let hasWorked = false, hasTables = false; !drain.aborted; ) {
      // Retries until the database is reachable.
      const look = async () => {
        hasTables ||= await database.hasTables();
        return hasTables ? findOpenRun(database) : undefined;
      };
      const run = await Promise.race([look(), stopped.then(() => undefined)]);
      if (run) await workOnRun(database, run, options);
      else if (asked.once && (hasWorked || clock.monotonicMs() > giveUpAtMs)) return;
      else await clock.sleep(IDLE_MS, drain).catch(() => {});
      hasWorked ||= run !== undefined;
    }
  } catch (error) {
    if (!commanded.stop.signal.aborted) throw error;
    log((error as Error).message);
  } finally {
    await database.close();
  }
}

interface MemberOptions extends WorkOptions {
  readonly onCommand: (command: 'drain' | 'stop') => void;
}

async function workOnRun(database: SharedDatabase, run: OpenRun, options: MemberOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'coa-worker-'));
  const runFolder = join(folder, 'run');
  try {
    await fetchFiles(database, run.id, runFolder);
    await workAsMember(database, run, runFolder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Works on a run until it drains, the worker stops, or the lease is lost. */
async function workAsMember(
  database: SharedDatabase,
  run: OpenRun,
  runFolder: string,
  options: MemberOptions,
): Promise<void> {
  const { env, clock, log } = options;
  const fault = new AbortController();
  const left = new AbortController();
  const shards: ClaimedShards[] = [];
  let room = 0;
  const stopSwitch = new StopSwitch({
    drain: options.drain,
    signal: AbortSignal.any([options.signal, fault.signal]),
  });
  const member = await Membership.join({
    database,
    run: run.id,
    name: `${hostname()}:${process.pid}`,
    isCoordinator: false,
    leaseS: run.leaseS,
    clock,
    load: () => ({ room, working: shards.reduce((sum, { working }) => sum + working, 0) }),
    onCommand: (command) => {
      if (command === 'leave') fault.abort(unanswered(shards));
      else options.onCommand(command);
    },
    onState: (state) => {
      const why = leaving[state];
      if (why) stopSwitch.stop(new RunHalted(why));
    },
  });
  const giveUp = (error: unknown) => {
    if (!(error instanceof WorkerLost)) return fault.abort(error);
    // Calls in flight are paid and their answers kept, so they may take up to the duration of a lease.
    stopSwitch.stop(error);
    clock.sleep(run.leaseS * 1000, left.signal).then(
      () => fault.abort(error),
      () => {},
    );
  };
  member.lost.addEventListener('abort', () => giveUp(member.lost.reason));
  const calls = new SessionCalls(stopSwitch.drain, log);
  const answers = new SharedAnswerCache(database, { run: run.id, worker: member.id });
  const session = createSession({ env, clock, calls, log, answers });
  const relay = createCallRelay(database, run.id, clock);
  const meter = new SharedMeter({
    database,
    worker: member.id,
    caps: run.content.caps,
    turns: new SharedTurns(database, run.id, clock),
    drain: stopSwitch.drain,
    onSpent: (reason) => {
      stopSwitch.stop(reason);
      void tellSpent(database, run.id, reason.message).catch(giveUp);
    },
    onUnbilled: relay.unbilled,
  });
  let why: string | undefined;
  calls.connect(meter, [relay]);
  try {
    const stages = await openStages(run, runFolder, session, () => fetchFiles(database, run.id, runFolder));
    room = Math.max(...stages.map(({ concurrency }) => concurrency));
    member.report();
    log(`works on ${run.name}, ${room} tasks at once`);
    const works = stages.map((stage) => {
      const own = new ClaimedShards({
        database,
        worker: member.id,
        stage: stage.name,
        clock,
        drain: stopSwitch.drain,
        onFault: giveUp,
      });
      shards.push(own);
      return runRecordStage(stage, { inputs: own, log: own }, stopSwitch).catch((error: unknown) => {
        if (!stopSwitch.drain.aborted) giveUp(error);
        throw error;
      });
    });
    const ends = await Promise.allSettled(works);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw fault.signal.aborted ? fault.signal.reason : failed.reason;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof RunHalted)) {
      why = (error as Error).message;
      throw error;
    }
    log(`${run.name}: ${error.message}`);
  } finally {
    left.abort();
    await session.resources.closeAll();
    await meter.close();
    await relay.close();
    await member.leave(why);
  }
}

/**
 * Opens the stages of a worker before it takes a task, since another worker may have the parts that it lacks.
 *
 * @throws UserError that lists the missing parts of this machine, RunError for an unreachable endpoint
 */
async function openStages(
  { content }: OpenRun,
  runFolder: string,
  session: Session,
  refresh: () => Promise<void>,
): Promise<RecordStage<Identified, Identified>[]> {
  const loaded = loadedOf(content);
  await checkStages(loaded, content.stages, session, content.stages);
  const place = { loaded, runFolder, shaping: content.shaping, refresh };
  const opened = openRunStages(place, content.stages, session);
  const stages = opened.flatMap((one) => (one.kind === 'record' ? [one.stage] : []));
  for (const stage of stages) await stage.prepare?.();
  return stages;
}

/** Error of a worker that fails all tasks while others succeed. */
function unanswered(shards: readonly ClaimedShards[]): RunError {
  const [last] = shards.flatMap(({ lastFailure }) => lastFailure ?? []);
  return new RunError(
    `no task of this worker was answered, and those of others are: check its key, its network and its machine; last error: ${last}`,
  );
}

async function tellSpent(database: SharedDatabase, run: string, reason: string): Promise<void> {
  const sql = `UPDATE run SET state = 'draining', reason = $2 WHERE id = $1 AND state = 'open'`;
  await database.query(sql, [run, reason]);
}
