import type { SharedDatabase } from '../calls/shared/sharedDatabase.ts';

/** What workers are commanded: to let calls in flight end and give their other tasks back, or to stop at once. */
export type WorkerCommand = 'drain' | 'stop';

/**
 * Commands workers to end. They read it when they renew their lease.
 *
 * @param name host and process, or a host; absent: all
 * @returns the names of those who get it
 */
export async function commandWorkers(
  database: SharedDatabase,
  command: WorkerCommand,
  name?: string,
): Promise<string[]> {
  const sql = `UPDATE worker SET command = $1 WHERE NOT dead AND NOT is_coordinator
    AND ($2::text IS NULL OR name = $2 OR split_part(name, ':', 1) = $2) RETURNING name`;
  const told = await database.query<{ name: string }>(sql, [command, name ?? null]);
  return told.map((row) => row.name).sort();
}
