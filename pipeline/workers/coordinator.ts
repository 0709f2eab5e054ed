import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { UserError } from '../../base/userError.ts';
import { BudgetSpent } from '../../contract/errors.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import { cachePath } from '../compose/openCache.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import type { RunStage } from '../run/stageState.ts';
import type { StopSwitch } from '../run/stopSwitch.ts';
import { stagesOfConfig } from '../stages/stageOpeners.ts';
import { type RelayedCall, repeatCall } from './callRelay.ts';
import { Membership } from './database/membership.ts';
import { openRunDatabase, type RunDatabase } from './database/runDatabase.ts';
import { EXPIRE_WORKERS, PENDING, type PendingWork } from './database/shardStatements.ts';
import { type SharedDatabase, unpack, WorkerLost } from './database/sharedDatabase.ts';
import { SharedMeter } from './database/sharedMeter.ts';
import { SharedTurns } from './database/sharedTurns.ts';
import { createRunAccounts, createWorkerLog, type RunMark } from './runAccounts.ts';
import { type CoordinatorOptions, enterRun, enterSpent, isSharded, refuseSecrets } from './runEntry.ts';
import { ShardQueue } from './shardQueue.ts';
import { openSharedAnswers, type SharedAnswers } from './sharedAnswers.ts';
import { sendFiles } from './sharedFiles.ts';
import { earlierWorkers, noWorkers, readWorkersFile, writeWorkersFile } from './workersFile.ts';

/** Approximate maximum of answers in the database, in megabytes; the rest exists only in the run folder. */
const ANSWERS_MB = 512;

/** Polling interval for shards. */
const LOOK_MS = 100;
/** Polls between two counts of spending and workers. */
const LOOKS_A_COUNT = 10;

interface JoinedRun {
  readonly opened: RunDatabase;
  readonly run: string;
  readonly member: Membership;
  readonly queue: ShardQueue;
  readonly answers: SharedAnswers;
}

/**
 * Coordinator of a distributed run. It holds the run folder, hands out the tasks of stages that call models, and runs
 * everything else itself. Copies workers' spending and answers into the run folder.
 */
export class Coordinator {
  readonly stages: readonly RunStage[];
  readonly meter: SharedMeter;
  readonly #options: CoordinatorOptions;
  readonly #joined: JoinedRun;
  readonly #database: SharedDatabase;
  readonly #accounts: ReturnType<typeof createRunAccounts>;
  readonly #stopped = new AbortController();
  readonly #looking: Promise<void>;
  readonly #sayWorkers: ReturnType<typeof createWorkerLog>;

  private constructor(options: CoordinatorOptions, joined: JoinedRun, mark: RunMark) {
    const { composition, caps, stopSwitch, session, spendingLog } = options;
    const { opened, run, member, queue } = joined;
    const database = opened.shared;
    this.#options = options;
    this.#joined = joined;
    this.#database = database;
    this.#accounts = createRunAccounts(database, run, mark, options);
    this.#sayWorkers = createWorkerLog(database.address, session.log);
    this.stages = composition.stages.map((stage) =>
      isSharded(stage) ? queue.sharded(stage, () => this.#open(stage)) : stage,
    );
    this.meter = new SharedMeter({
      database,
      worker: member.id,
      caps,
      turns: new SharedTurns(database, run, session.clock),
      drain: stopSwitch.drain,
      onSpent: (reason) => stopSwitch.stop(reason),
      onUnbilled: (worst) => spendingLog.workersUnbilled(worst),
    });
    this.#looking = this.#lookOn();
  }

  /**
   * Creates or joins the run in the database, with spending and answers so far.
   *
   * @throws UserError if the database is unusable, another version began the run, or its configuration contains secrets
   */
  static async attach(options: CoordinatorOptions): Promise<Coordinator> {
    const { workers, runFolder, loaded, composition, session, spendingLog, stopSwitch } = options;
    refuseSecrets(loaded);
    const opened = await openRunDatabase(options);
    try {
      const database = opened.shared;
      const earlier = await readWorkersFile(runFolder);
      const key = earlier?.key ?? randomUUID();
      const run = await enterRun(database, { key, isOpen: earlier?.open === true }, options);
      const mark = {
        key,
        database: database.address,
        earlier: earlierWorkers(earlier),
        rates: earlier?.rates ?? [],
      };
      await writeWorkersFile(runFolder, { ...(earlier?.open ? earlier : noWorkers), ...mark, open: true });
      await enterSpent(database, run, spendingLog);
      const member = await Membership.join({
        database,
        run,
        name: `${hostname()}:${process.pid}`,
        isCoordinator: true,
        leaseS: workers.leaseS,
        clock: session.clock,
        load: () => ({ room: 0, working: 0 }),
        onState: (state) => {
          if (state === 'draining') void stopWhenSpent(database, run, stopSwitch);
        },
      });
      const shards = { run, coordinator: member.id, shardTasks: workers.shardTasks };
      const queue = new ShardQueue(database, session.clock, shards);
      await queue.adopt(composition.stages.filter(isSharded));
      const answers = await openSharedAnswers(database, run, {
        file: cachePath(loaded.config, runFolder),
        mostMb: ANSWERS_MB,
        log: session.log,
      });
      const coordinator = new Coordinator(options, { opened, run, member, queue, answers }, mark);
      await opened.startWorkers((error) => queue.close(error));
      return coordinator;
    } catch (error) {
      await opened.close({ remove: false });
      throw error;
    }
  }

  /**
   * Copies the remaining data into the run's folder. The run's rows are deleted unless workers are still active.
   *
   * @throws UserError if another process has taken over the run
   */
  async end(): Promise<void> {
    const { opened, run, member, answers } = this.#joined;
    let isBusy = true;
    try {
      this.#stopped.abort();
      await this.#looking;
      await this.meter.close();
      const living = this.#database.query('SELECT living($1)', [member.id]);
      await living.catch((error: unknown) => Promise.reject(this.#faultOf(error)));
      await this.#repeatCalls();
      await this.#database.query(`UPDATE run SET state = 'draining' WHERE id = $1`, [run]);
      await opened.stopWorkers();
      await answers.fetchAll();
      await member.leave();
      // The rows are needed as long as the run folder refers to them.
      isBusy = await this.#count({ ended: true });
      if (!isBusy) await this.#database.query('DELETE FROM run WHERE id = $1', [run]);
    } finally {
      await answers.close();
      await opened.close({ remove: !isBusy });
    }
  }

  /** Opens the run to workers once earlier stages are done. */
  async #open({ stage }: RunStage): Promise<void> {
    const { runFolder, loaded } = this.#options;
    const { run } = this.#joined;
    await sendFiles(this.#database, run, { runFolder, stages: lookedUpStages(loaded) });
    // Workers of an earlier session may hold facts that are about to be read again.
    if (stage === 'facts') await this.#database.query(EXPIRE_WORKERS, [run]);
    // A draining run must not open again.
    const sql = `UPDATE run SET state = 'open' WHERE id = $1 AND state = 'preparing'`;
    await this.#database.query(sql, [run]);
  }

  async #lookOn(): Promise<void> {
    const { session, stopSwitch } = this.#options;
    const { drain } = stopSwitch;
    const { run, member, queue, answers } = this.#joined;
    try {
      for (let look = 0; !this.#stopped.signal.aborted; look++) {
        const [pending] = await this.#database.query<PendingWork>(PENDING, [run, member.id]);
        if (drain.aborted) await this.#drain(drain.reason);
        else await queue.look(pending!);
        if (pending!.called) await this.#repeatCalls();
        if (pending!.wanted) await answers.bringBack();
        if (look % LOOKS_A_COUNT === 0) await Promise.all([this.#count(), answers.look()]);
        await session.clock.sleep(LOOK_MS, this.#stopped.signal).catch(() => {});
      }
    } catch (error) {
      // No process can work on the run any more.
      queue.close(this.#faultOf(error));
    }
  }

  #faultOf(error: unknown): UserError {
    if (error instanceof UserError) return error;
    const why =
      error instanceof WorkerLost ? 'another process goes on with this run' : (error as Error).message;
    return new UserError(`${this.#database.address}: ${why}`, { cause: error });
  }

  async #drain(reason: unknown): Promise<void> {
    const sql = `UPDATE run SET state = 'draining' WHERE id = $1 AND state <> 'draining'`;
    await this.#database.query(sql, [this.#joined.run]);
    await this.#joined.queue.drain(reason);
  }

  async #repeatCalls(): Promise<void> {
    const sql = `DELETE FROM call WHERE id IN (SELECT id FROM call WHERE run = $1 ORDER BY id LIMIT 100) RETURNING id::float8, body`;
    const rows = await this.#database.query<{ id: number; body: Buffer }>(sql, [this.#joined.run]);
    const { session, spendingLog } = this.#options;
    for (const { body } of rows.sort((a, b) => a.id - b.id)) {
      for (const note of unpack(body) as RelayedCall[]) {
        if (note.kind === 'unbilled') spendingLog.workersUnbilled(note.call);
        else repeatCall(note, session.calls);
      }
    }
  }

  /** Updates the accounts and the list of workers. Returns true if workers are active. */
  async #count(how?: { readonly ended: boolean }): Promise<boolean> {
    const { isBusy, rooms, faults } = await this.#accounts.count(how);
    this.#joined.queue.rooms = rooms;
    const ready = rooms.filter((room) => room > 0).length;
    // Its own workers start with a delay and are gone at the end.
    const isKnown = ready > 0 || !(how?.ended || this.#joined.opened.hasWorkers());
    this.#sayWorkers({ faults, ...(isKnown && { ready }) });
    return isBusy;
  }
}

/** Stages whose records workers read in addition to their inputs. */
function lookedUpStages(loaded: LoadedConfig): StageName[] {
  return stagesOfConfig(loaded).filter((name) => stageRow(name).lookedUp);
}

/** Stops the run if a worker found the budget spent. */
async function stopWhenSpent(database: SharedDatabase, run: string, stopSwitch: StopSwitch): Promise<void> {
  const sql = 'SELECT reason FROM run WHERE id = $1';
  const [row] = await database.query<{ reason: string | null }>(sql, [run]);
  if (row?.reason) stopSwitch.stop(new BudgetSpent(row.reason));
}
