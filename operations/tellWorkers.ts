import type { SharedDatabase } from '../calls/shared/sharedDatabase.ts';

/** What workers are told: to let calls in flight end and give their other tasks back, or to stop at once. */
export type WorkerOrder = 'drain' | 'stop';

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
  const sql = `UPDATE worker SET command = $1 WHERE NOT dead AND NOT is_coordinator
    AND ($2::text IS NULL OR name = $2 OR split_part(name, ':', 1) = $2) RETURNING name`;
  const told = await database.query<{ name: string }>(sql, [order, name ?? null]);
  return told.map((row) => row.name).sort();
}
