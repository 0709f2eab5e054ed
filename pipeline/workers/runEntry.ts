import { hostname } from 'node:os';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { type Amount, mostSpent, type SpendingLog } from '../../calls/budget/spendingLog.ts';
import type { Caps } from '../../calls/budget/spendingMeter.ts';
import type { Session } from '../../contract/session.ts';
import { stageRow } from '../../contract/stageTable.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { Composition } from '../compose.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { keysOfSecrets } from '../config/resolveConfigPaths.ts';
import type { RunStage } from '../run/stageState.ts';
import type { StopSwitch } from '../run/stopSwitch.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { pack } from './database/sharedDatabase.ts';
import type { RunContent } from './sharedRun.ts';

export interface WorkersOptions {
  readonly database?: string | undefined;
  /** Worker processes started on this machine. */
  readonly processes: number;
  /** Seconds after which a stopped or unreachable worker loses its work. */
  readonly leaseS: number;
  /** Tasks per shard; default: the concurrency of a worker. */
  readonly shardTasks?: number | undefined;
}

export interface CoordinatorOptions {
  readonly workers: WorkersOptions;
  readonly runFolder: string;
  readonly runName: string;
  readonly loaded: LoadedConfig;
  readonly composition: Composition;
  readonly spendingLog: SpendingLog;
  readonly caps: Caps;
  readonly stopSwitch: StopSwitch;
  readonly session: Pick<Session, 'calls' | 'clock' | 'log' | 'env'>;
}

/** True for stages done by workers: those that call models or run programs. */
export function isSharded({ stage, opened }: RunStage): boolean {
  return opened?.kind === 'record' && stageRow(stage).endpoint !== undefined;
}

/** Rejects configurations with secrets in an address, since they would be readable in the database. */
export function refuseSecrets({ config }: LoadedConfig): void {
  const keys = keysOfSecrets(withoutScale(config));
  if (keys.length === 0) return;
  throw new UserError(
    `--workers: ${keys.join(', ')} holds a user, a password or a query, which every worker could read in the database; name the key by its environment variable instead (api_key_env)`,
  );
}

/** Removes the coordinator's address, which workers do not need. */
function withoutScale({ scale: _, ...config }: Config): Config {
  return config;
}

/**
 * Creates or takes over the run's row and returns its id. Workers with another configuration lose their leases.
 *
 * @param isOpen requires that the database already holds the run
 */
export async function enterRun(
  database: SharedDatabase,
  { key, isOpen }: { readonly key: string; readonly isOpen: boolean },
  options: CoordinatorOptions,
): Promise<string> {
  const { workers, runFolder, runName, caps } = options;
  const place = `${hostname()}:${runFolder}`;
  // Deletes runs of removed folders; a run with a leader belongs to another machine of this name.
  await database.query('DELETE FROM run WHERE place = $1 AND key <> $2 AND NOT is_led(id)', [place, key]);
  const made = `INSERT INTO run (key, place, name, version, lease_s) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING`;
  if (isOpen) await refuseOtherDatabase(database, key, runFolder);
  await database.query(made, [key, place, runName, packageVersion(), workers.leaseS]);
  const sql = 'SELECT id::text, version, body FROM run WHERE key = $1';
  const [row] = await database.query<{ id: string; version: string; body: Buffer | null }>(sql, [key]);
  const { id, version, body } = row!;
  if (version !== packageVersion()) {
    throw new UserError(
      `this is coa-distill ${packageVersion()}, and the run was begun with workers of ${version}: finish it with that version`,
    );
  }
  const content = pack(contentOf(options));
  if (body && !body.equals(content)) {
    await database.query('SELECT expire(id) FROM worker WHERE run = $1 AND NOT dead', [id]);
  }
  const update = `UPDATE run SET body = $2, cap_usd = $3, cap_tokens = $4, lease_s = $5, state = 'preparing', reason = NULL WHERE id = $1`;
  const capped = [caps.maxCostUsd ?? null, caps.maxTokens ?? null];
  await database.query(update, [id, content, ...capped, workers.leaseS]);
  return id;
}

/** Rejects another database for an interrupted run, since its answers are in the first one. */
async function refuseOtherDatabase(database: SharedDatabase, key: string, runFolder: string): Promise<void> {
  const found = await database.query('SELECT id FROM run WHERE key = $1', [key]);
  if (found.length > 0) return;
  throw new UserError(
    `${database.address} holds nothing of ${runFolder}, which was cut off while workers were at it: resume with the database in which it began, or remove workers.json to pay for its last answers again`,
  );
}

function contentOf({ loaded, composition, caps }: CoordinatorOptions): RunContent {
  const { config, profiles, name, imported, synthesis } = loaded;
  return {
    config: withoutScale(config),
    profiles: profiles.profiles,
    shaping: composition.shaping,
    name,
    imported,
    synthesis,
    caps,
    stages: composition.stages.filter(isSharded).map(({ stage }) => stage),
  };
}

/** Adds the spending of sessions without workers to the cap. */
export async function enterSpent(
  database: SharedDatabase,
  run: string,
  { earlier }: SpendingLog,
): Promise<void> {
  const { costUsd, tokens } = mostSpent(earlier);
  const { attempts } = earlier;
  const sql = `UPDATE run SET elsewhere_usd = elsewhere_usd + $2 - mirrored_usd, elsewhere_tokens = elsewhere_tokens + $3 - mirrored_tokens,
    elsewhere_attempts = elsewhere_attempts + $4 - mirrored_attempts,
    mirrored_usd = $2, mirrored_tokens = $3, mirrored_attempts = $4 WHERE id = $1`;
  await database.query(sql, [run, costUsd, tokens, attempts]);
}

/** Upper bound of the run's own spending log, as stored in the database. */
export type Mirrored = Amount & Pick<SpendingLog['earlier'], 'attempts'>;

/** Stores the spending already in the run's log, so that it is not counted twice. */
export async function enterMirrored(
  database: SharedDatabase,
  run: string,
  { costUsd, tokens, attempts }: Mirrored,
): Promise<void> {
  const sql = 'UPDATE run SET mirrored_usd = $2, mirrored_tokens = $3, mirrored_attempts = $4 WHERE id = $1';
  await database.query(sql, [run, costUsd, tokens, attempts]);
}
