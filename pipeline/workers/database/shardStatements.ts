import { failureOf, RecordFailure } from '../../../contract/errors.ts';
import type { Identified, StageOutcome } from '../../../contract/stage.ts';
import type { StageName } from '../../../contract/stageTable.ts';
import type { StageFailure } from '../../../schemas/outcome.ts';
import type { ShardInput } from '../sharedRun.ts';
import type { SharedDatabase } from './sharedDatabase.ts';
import { unpack } from './sharedDatabase.ts';

export type Outcome = StageOutcome<Identified>;

/**
 * Losses after which a shard is suspect (tables/2_leases.sql): its tasks are first tried alone, one at a time per
 * worker; a task that causes another loss is set aside.
 */
export const MOST_LOSSES = 3;

/** Shard whose tasks all have an outcome. */
export interface DoneRow {
  readonly id: string;
  readonly keys: string[];
  readonly stage: StageName;
  readonly owner: string | null;
}

/** Shard that lost its workers too often. */
export interface LostRow {
  readonly id: string;
  readonly keys: string[];
  readonly inputs: Buffer;
  readonly alone: boolean;
}

export const LEAVE = `UPDATE worker SET command = 'leave' WHERE id = ANY ($1::bigint[]) AND NOT dead`;
const REMOVE = 'DELETE FROM shard WHERE id = $1 AND living($2) IS NOT NULL';
/**
 * Idempotent, since a lost reply may hide that the shard exists already. A shard with other tasks is a different one,
 * even with the same prefix.
 */
export const HAND_OUT = `
  INSERT INTO shard (run, stage, keys, inputs) SELECT $1::bigint, $2, $3::text[], $4
  WHERE NOT EXISTS (SELECT FROM shard WHERE run = $1::bigint AND keys = $3::text[])
`;
/** All three are idempotent. */
export const FETCHED = `
  WITH gone AS (${REMOVE} RETURNING owner, state, cardinality(keys) AS records)
  UPDATE share SET shards = share.shards + 1, records = share.records + gone.records
  FROM gone WHERE share.worker = gone.owner AND gone.state = 'done'
`;
export const TRY_ALONE = `
  WITH gone AS (${REMOVE} RETURNING run, stage)
  INSERT INTO shard (run, stage, keys, inputs, alone)
  SELECT run, stage, ARRAY[key], input, true FROM gone, unnest($3::text[], $4::bytea[]) AS given(key, input)
`;
export const SET_ASIDE = `
  WITH gone AS (${REMOVE} RETURNING run)
  UPDATE run SET set_aside = set_aside + 1 WHERE id IN (SELECT run FROM gone)
`;

/** Expires the leases of a run's workers. */
export const EXPIRE_WORKERS =
  'SELECT expire(id) FROM worker WHERE run = $1 AND NOT dead AND NOT is_coordinator';

export interface PendingWork {
  readonly done: boolean;
  readonly lost: boolean;
  readonly called: boolean;
  readonly wanted: boolean;
}

/** A single statement, since most polls find nothing. Fails once another process coordinates. */
export const PENDING = `
  SELECT has_lease($2), EXISTS (SELECT FROM shard WHERE run = $1 AND state = 'done') AS done,
    EXISTS (SELECT FROM shard WHERE run = $1 AND state = 'lost') AS lost,
    EXISTS (SELECT FROM call WHERE run = $1) AS called, EXISTS (SELECT FROM wanted WHERE run = $1) AS wanted
`;

/** Outcomes of a shard by task position. */
export async function outcomesOf(
  database: SharedDatabase,
  shard: string,
): Promise<ReadonlyMap<number, Outcome>> {
  const sql = 'SELECT nth, body FROM outcome WHERE shard = $1 ORDER BY nth';
  const rows = await database.query<{ nth: number; body: Buffer }>(sql, [shard]);
  return new Map(rows.map(({ nth, body }) => [nth, unpack(body) as Outcome]));
}

export async function inputsOf(database: SharedDatabase, shard: string): Promise<ShardInput[]> {
  const sql = 'SELECT inputs FROM shard WHERE id = $1';
  const [row] = await database.query<{ inputs: Buffer }>(sql, [shard]);
  return unpack(row!.inputs) as ShardInput[];
}

/** Failure of a task that lost its worker each time. */
export function workerLost(): StageFailure {
  const message = `${2 * MOST_LOSSES} workers were lost while they had this task, the last ${MOST_LOSSES} with no other that is suspected`;
  return failureOf(new RecordFailure('worker_lost', message, { losses: 2 * MOST_LOSSES }));
}
