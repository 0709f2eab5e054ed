import type { WorkerEntry, WorkersFile } from '../../schemas/run/workersFile.ts';
import type { WorkerCommand } from './database/membership.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';

export interface CountedRun extends Pick<WorkersFile, 'shards' | 'set_aside' | 'caps'> {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** Amount spent; calls in flight count as their worst case. */
  readonly spent: { readonly cost_usd: number; readonly tokens: number; readonly attempts: number };
  /** One entry per name, ordered by first join, without the coordinator. */
  readonly workers: readonly CountedWorker[];
  readonly rates: readonly CountedRate[];
}

export interface CountedWorker extends Omit<WorkerEntry, 'calls_last_minute'> {
  /** Remaining seconds of its lease; negative if it is silent and about to lose its tasks. Null without a lease. */
  readonly lease_left_s: number | null;
  readonly told: WorkerCommand | null;
  /** Error with which it left. */
  readonly why: string | null;
}

/** Rate limit shared by the workers, and the amount let through since the run began. */
export interface CountedRate
  extends Pick<WorkersFile['rates'][number], 'provider' | 'counts' | 'per_minute'> {
  /** Hash of run, address, key and counted unit. */
  readonly key: string;
  readonly let_through: number;
}

const RUNS = 'SELECT * FROM counted_run WHERE $1::text IS NULL OR id = $1 ORDER BY id::bigint';

/**
 * Lists the runs of a database with workers, shards, spending and limits. Workers waiting for a run belong to none.
 *
 * @param run default: all
 */
export function countRuns(database: SharedDatabase, run?: string): Promise<CountedRun[]> {
  return database.query<CountedRun>(RUNS, [run ?? null]);
}
