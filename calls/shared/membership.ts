import type { Clock } from '../../base/clock.ts';
import { type SharedDatabase, WorkerLost } from './sharedDatabase.ts';

/** How a run is. */
export type SharedRunState = 'preparing' | 'open' | 'draining' | 'abandoned';

/** What a worker is told: by a person to drain or to stop, by the coordinator to leave since its endpoint answers others alone. */
export type ToldOrder = 'drain' | 'stop' | 'leave';

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
  /** Told how the run is, at each beat. */
  readonly onState: (state: SharedRunState) => void;
  /** Told at each beat that somebody wants it to end. */
  readonly onTold?: (order: ToldOrder) => void;
}

/** A process's part in a run, under an id of its own: a lease that is renewed every fifth of its time. */
export class Membership {
  readonly id: string;
  readonly #options: JoinOptions;
  readonly #ended = new AbortController();
  readonly #lost = new AbortController();
  /** Aborted to beat before it is time. */
  #early = new AbortController();
  readonly #beating: Promise<void>;
  readonly #cpuAtJoin = process.cpuUsage();

  private constructor(id: string, options: JoinOptions) {
    this.id = id;
    this.#options = options;
    this.#beating = this.#beat();
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

  /** Beats at once: what it says of its load is another one. */
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
    await this.#beating;
    const { database } = this.#options;
    // What it has used by now; one that lost its lease has said so before.
    if (!this.#lost.signal.aborted) await this.#say(0, 0).catch(() => {});
    await database.query('SELECT leave_run($1, $2)', [this.id, why ?? null]);
  }

  async #say(room: number, working: number): Promise<BeatRow> {
    const { user, system } = process.cpuUsage(this.#cpuAtJoin);
    const values = [this.id, room, working, (user + system) / 1000];
    const sql = 'SELECT state, told FROM beat($1, $2, $3, $4)';
    const [row] = await this.#options.database.query<BeatRow>(sql, values);
    return row!;
  }

  async #beat(): Promise<void> {
    const { leaseS, clock, load, onState, onTold } = this.#options;
    while (!this.#ended.signal.aborted) {
      try {
        const { room, working } = load();
        const { state, told } = await this.#say(room, working);
        onState(state);
        if (told) onTold?.(told);
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

interface BeatRow {
  readonly state: SharedRunState;
  readonly told: ToldOrder | null;
}
