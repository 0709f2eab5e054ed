import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import type { Caps } from '../../calls/budget/spendingMeter.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { createProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { unpack } from './database/sharedDatabase.ts';

export interface RunContent {
  readonly config: Config;
  readonly profiles: readonly Profile[];
  readonly shaping: ConfigFingerprint;
  readonly name: string;
  readonly imported?: ImportedFiles | undefined;
  /** As in {@link LoadedConfig}. */
  readonly synthesis?: true | undefined;
  readonly caps: Caps;
  readonly stages: readonly StageName[];
}

/** Task of a shard: the input record of a stage and its context. */
export interface ShardInput {
  readonly record: unknown;
  readonly attempt?: number;
  readonly rollout?: number;
  readonly wrongTry?: Trace;
}

/** A run that workers may join. */
export interface OpenRun {
  readonly id: string;
  readonly name: string;
  readonly leaseS: number;
  readonly content: RunContent;
}

interface RunRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly lease_s: number;
  readonly body: Buffer;
}

/**
 * Newest open run, preferably with an active coordinator; undefined if none exists.
 *
 * @throws UserError if another version began it, since outcomes must not depend on the worker
 */
export async function findOpenRun(database: SharedDatabase): Promise<OpenRun | undefined> {
  const own = packageVersion();
  const sql = 'SELECT id::text, name, version, lease_s, body FROM find_run($1)';
  const [row] = await database.query<RunRow>(sql, [own]);
  if (!row) return undefined;
  if (row.version !== own) {
    throw new UserError(
      `this is coa-distill ${own}, and the run ${row.name} was begun by ${row.version}: install coa-distill@${row.version} on this machine, or end the run first`,
    );
  }
  return { id: row.id, name: row.name, leaseS: row.lease_s, content: unpack(row.body) as RunContent };
}

/** Configuration of a run for a worker, which lacks its task files. */
export function loadedOf({ config, profiles, name, imported, synthesis }: RunContent): LoadedConfig {
  return {
    document: { file: 'coa.yaml', value: {} } as LoadedConfig['document'],
    config,
    profiles: createProfileRegistry(profiles),
    name,
    imported,
    synthesis,
  };
}
