import type { SharedDatabase } from '../calls/shared/sharedDatabase.ts';
import type { WorkersFile } from '../schemas/run/workersFile.ts';

/** A run in a database, and who works on it. */
export interface DatabaseRun extends Pick<WorkersFile, 'shards' | 'set_aside'> {
  readonly name: string;
  readonly version: string;
  readonly state: string;
  readonly workers: readonly DatabaseWorker[];
}

/** A worker that has a lease. */
export interface DatabaseWorker {
  /** Host and process. */
  readonly name: string;
  /** Tasks that it works on, and works on at once. */
  readonly working: number;
  readonly room: number;
  readonly calls_in_flight: number;
  readonly cost_usd: number;
  /** Seconds of its lease that are left; below 0: it is silent, and about to lose its tasks. */
  readonly lease_left_s: number;
  /** What it was told to do. */
  readonly told: WorkerOrder | null;
}

/** What workers are told: to let calls in flight end and give their other tasks back, or to stop at once. */
export type WorkerOrder = 'drain' | 'stop';

const RUNS = `
  SELECT name, version, state, set_aside,
    (SELECT json_build_object('ready', count(*) FILTER (WHERE shard.state IN ('ready', 'lost')),
      'taken', count(*) FILTER (WHERE shard.state = 'taken'), 'done', count(*) FILTER (WHERE shard.state = 'done'),
      'alone', count(*) FILTER (WHERE shard.alone))
    FROM shard WHERE shard.run = run.id) AS shards,
    (SELECT coalesce(json_agg(json_build_object('name', worker.name, 'working', working, 'room', room,
      'calls_in_flight', in_flight, 'cost_usd', spent_usd, 'told', told,
      'lease_left_s', round(extract(epoch FROM lease_until - clock_timestamp())::numeric, 1)) ORDER BY worker.id), '[]')
    FROM worker JOIN share ON share.worker = worker.id
    WHERE worker.run = run.id AND NOT dead AND NOT is_coordinator) AS workers
  FROM run ORDER BY run.id
`;

/** The runs of a database with their workers. Workers that wait for a run are in none. */
export function workersOfDatabase(database: SharedDatabase): Promise<DatabaseRun[]> {
  return database.query<DatabaseRun>(RUNS);
}

/**
 * Tells workers to end. They hear it when they renew their lease.
 *
 * @param name host and process, or a host; absent: all
 * @returns the names of those who were told
 */
export async function tellWorkers(
  database: SharedDatabase,
  order: WorkerOrder,
  name?: string,
): Promise<string[]> {
  const sql = `UPDATE worker SET told = $1 WHERE NOT dead AND NOT is_coordinator
    AND ($2::text IS NULL OR name = $2 OR split_part(name, ':', 1) = $2) RETURNING name`;
  const told = await database.query<{ name: string }>(sql, [order, name ?? null]);
  return told.map((row) => row.name).sort();
}
