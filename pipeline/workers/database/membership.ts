import type { Clock } from '../../../base/clock.ts';
import { type SharedDatabase, WorkerLost } from './sharedDatabase.ts';

/** How a run is. */
export type SharedRunState = 'preparing' | 'open' | 'draining' | 'abandoned';

/** What a worker is to do: `drain` or `stop` for a person, `leave` for the coordinator, since its endpoint answers others alone. */
export type WorkerCommand = 'drain' | 'stop' | 'leave';

/** Who joins which run. */
interface JoinOptions {
  readonly database: SharedDatabase;
  readonly run: string;
  /** For people. */
  readonly name: string;
  readonly isCoordinator: boolean;
  readonly leaseS: number;
  readonly clock: Clock;
  /** How many tasks it works on at once, and on how many it works now. */
  readonly load: () => { readonly room: number; readonly working: number };
  /** Called with the run's state at each heartbeat. */
  readonly onState: (state: SharedRunState) => void;
  /** Called at each heartbeat while somebody wants it to end. */
  readonly onCommand?: (command: WorkerCommand) => void;
}

/** A process's part in a run, under an id of its own: a lease that is renewed every fifth of its time. */
export class Membership {
  readonly id: string;
  readonly #options: JoinOptions;
  readonly #ended = new AbortController();
  readonly #lost = new AbortController();
  /** Aborted to send a heartbeat before it is time. */
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
    // The coordinator's statements may move much, and it has no tasks to lose.
    if (!isCoordinator) database.noticeWithin(leaseS);
    const [row] = await database.query<{ id: string }>('SELECT join_run($1, $2, $3)::text AS id', [
      run,
      name,
      isCoordinator,
    ]);
    return new Membership(row!.id, options);
  }

  /** Aborted with {@link WorkerLost} when others have taken its work over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Sends a heartbeat at once: its load has changed. */
  report(): void {
    this.#early.abort();
  }

  /**
   * Gives everything back. What is in flight still counts as spent.
   *
   * @param why the error that makes it leave, of which the coordinator is told
   */
  async leave(why?: string): Promise<void> {
    this.#ended.abort();
    await this.#heartbeats;
    const { database } = this.#options;
    // What it has used by now; one that lost its lease has said so before.
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
