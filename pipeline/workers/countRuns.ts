import type { WorkerEntry, WorkersFile } from '../../schemas/run/workersFile.ts';
import type { WorkerCommand } from './database/membership.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';

/** How a run in a database stands. */
export interface CountedRun extends Pick<WorkersFile, 'shards' | 'set_aside' | 'caps'> {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** What it has spent, calls in flight at their worst case. */
  readonly spent: { readonly cost_usd: number; readonly tokens: number; readonly attempts: number };
  /** One entry a name, by the time at which each first joined; without the coordinator. */
  readonly workers: readonly CountedWorker[];
  readonly rates: readonly CountedRate[];
}

/** A worker as the database knows it. */
export interface CountedWorker extends Omit<WorkerEntry, 'calls_last_minute'> {
  /** Seconds of its lease that are left; below 0: it is silent, and about to lose its tasks. Null without a lease. */
  readonly lease_left_s: number | null;
  /** What it was told to do. */
  readonly told: WorkerCommand | null;
  /** The error with which it left. */
  readonly why: string | null;
}

/** A limit that the workers keep together, and what was let through by now, since the run began. */
export interface CountedRate
  extends Pick<WorkersFile['rates'][number], 'provider' | 'counts' | 'per_minute'> {
  /** Of the run, the address, its key and what is counted. */
  readonly key: string;
  readonly let_through: number;
}

const RUNS = 'SELECT * FROM counted_run WHERE $1::text IS NULL OR id = $1 ORDER BY id::bigint';

/**
 * The runs of a database with their workers, shards, money and limits. Workers that wait for a run are in none.
 *
 * @param run absent: all
 */
export function countRuns(database: SharedDatabase, run?: string): Promise<CountedRun[]> {
  return database.query<CountedRun>(RUNS, [run ?? null]);
}
