import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import { tasklessConfigSchema } from '../../schemas/config/config.ts';
import { type LoadedConfig, loadConfig } from './loadConfig.ts';
import { taskMaking } from './taskMaking.ts';

/** Loads `.env` beside a configuration file if it exists; existing variables win. */
export function loadDotEnv(configFile: string): void {
  const path = join(dirname(configFile), '.env');
  if (!existsSync(path)) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw new UserError(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Default path of a configuration. */
const DEFAULT_CONFIG = 'coa.yaml';

/**
 * Loads a configuration for its tools, and the `.env` beside it. Default: `./coa.yaml`; undefined if that does not
 * exist. Throws `UserError` for the first problem.
 */
export async function loadToolsConfig(file: string | undefined): Promise<LoadedConfig | undefined> {
  const found = file ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  if (found === undefined) return undefined;
  loadDotEnv(found);
  return loadConfig(found, {}, { schema: tasklessConfigSchema() });
}

/** Tools called by the profiles of a configuration's tasks, solved or made. */
export function toolsOf({
  config,
  profiles,
  synthesis,
}: Pick<LoadedConfig, 'config' | 'profiles' | 'synthesis'>): ReadonlySet<string> {
  const used = synthesis
    ? [taskMaking()!.profileOf(config)]
    : config.tasks.sources.map(({ profile }) => profile);
  return new Set(used.flatMap((profile) => toolTags(profiles.profileOf(profile)!)));
}
