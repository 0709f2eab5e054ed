import type { Clock } from '../../../base/clock.ts';
import { type SharedDatabase, WorkerLost } from './sharedDatabase.ts';

export type SharedRunState = 'preparing' | 'open' | 'draining' | 'abandoned';

/**
 * Command for a worker: `drain` or `stop` by a person; `leave` by the coordinator, if its endpoint only answers other
 * workers.
 */
export type WorkerCommand = 'drain' | 'stop' | 'leave';

interface JoinOptions {
  readonly database: SharedDatabase;
  readonly run: string;
  /** Display name. */
  readonly name: string;
  readonly isCoordinator: boolean;
  readonly leaseS: number;
  readonly clock: Clock;
  /** Maximum and current number of concurrent tasks. */
  readonly load: () => { readonly room: number; readonly working: number };
  /** Called with the run's state at each heartbeat. */
  readonly onState: (state: SharedRunState) => void;
  /** Called at each heartbeat while a command is pending. */
  readonly onCommand?: (command: WorkerCommand) => void;
}

/** Membership of a process in a run under an id of its own: a lease, renewed every fifth of its duration. */
export class Membership {
  readonly id: string;
  readonly #options: JoinOptions;
  readonly #ended = new AbortController();
  readonly #lost = new AbortController();
  /** Aborted to send a heartbeat early. */
  #early = new AbortController();
  readonly #heartbeats: Promise<void>;
  readonly #cpuAtJoin = process.cpuUsage();

  private constructor(id: string, options: JoinOptions) {
    this.id = id;
    this.#options = options;
    this.#heartbeats = this.#sendHeartbeats();
  }

  static async join(options: JoinOptions): Promise<Membership> {
    const { database, run, name, isCoordinator, leaseS } = options;
    // Not for the coordinator, whose statements may be large and which has no tasks to lose.
    if (!isCoordinator) database.noticeWithin(leaseS);
    const [row] = await database.query<{ id: string }>('SELECT join_run($1, $2, $3)::text AS id', [
      run,
      name,
      isCoordinator,
    ]);
    return new Membership(row!.id, options);
  }

  /** Aborted with {@link WorkerLost} when others have taken over its work. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Sends a heartbeat at once, after a change of load. */
  report(): void {
    this.#early.abort();
  }

  /**
   * Returns all shards. Calls in flight still count as spent.
   *
   * @param why the error that makes it leave, reported to the coordinator
   */
  async leave(why?: string): Promise<void> {
    this.#ended.abort();
    await this.#heartbeats;
    const { database } = this.#options;
    // Reports final usage; a worker that lost its lease has already done so.
    if (!this.#lost.signal.aborted) await this.#heartbeat(0, 0).catch(() => {});
    await database.query('SELECT leave_run($1, $2)', [this.id, why ?? null]);
  }

  async #heartbeat(room: number, working: number): Promise<HeartbeatRow> {
    const { user, system } = process.cpuUsage(this.#cpuAtJoin);
    const values = [this.id, room, working, (user + system) / 1000];
    const sql = 'SELECT state, command FROM heartbeat($1, $2, $3, $4)';
    const [row] = await this.#options.database.query<HeartbeatRow>(sql, values);
    return row!;
  }

  async #sendHeartbeats(): Promise<void> {
    const { leaseS, clock, load, onState, onCommand } = this.#options;
    while (!this.#ended.signal.aborted) {
      try {
        const { room, working } = load();
        const { state, command } = await this.#heartbeat(room, working);
        onState(state);
        if (command) onCommand?.(command);
      } catch (error) {
        this.#lost.abort(error instanceof WorkerLost ? error : new WorkerLost((error as Error).message));
        return;
      }
      const early = AbortSignal.any([this.#ended.signal, this.#early.signal]);
      await clock.sleep((leaseS * 1000) / 5, early).catch(() => {});
      this.#early = new AbortController();
    }
  }
}

interface HeartbeatRow {
  readonly state: SharedRunState;
  readonly command: WorkerCommand | null;
}
