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

/** What a worker is told of a run: nothing secret. */
export interface RunContent {
  readonly config: Config;
  readonly profiles: readonly Profile[];
  readonly shaping: ConfigFingerprint;
  readonly name: string;
  readonly imported?: ImportedFiles | undefined;
  /** As in {@link LoadedConfig}. */
  readonly synthesis?: true | undefined;
  readonly caps: Caps;
  /** The stages whose tasks workers work on. */
  readonly stages: readonly StageName[];
}

/** A task of a shard: a record that goes into a stage, and what the stage is told of it. */
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
 * The newest run that is open, one whose coordinator is there before others; undefined where there is none.
 *
 * @throws UserError when it was begun by another version: an outcome must not depend on who made it
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

/** The configuration of a run, as a worker has it: its files of tasks are not there. */
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
