import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import { tasklessConfigSchema } from '../../schemas/config/config.ts';
import { type LoadedConfig, loadConfig } from './loadConfig.ts';
import { taskMaking } from './taskMaking.ts';

/** Loads `.env` beside a configuration file, where there is one. What the environment already holds stays. */
export function loadDotEnv(configFile: string): void {
  const path = join(dirname(configFile), '.env');
  if (!existsSync(path)) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw new UserError(`${path}: cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Where a configuration is looked for when none is named. */
const DEFAULT_CONFIG = 'coa.yaml';

/**
 * Loads a configuration for its tools, with the `.env` beside it: `./coa.yaml` where none is named; undefined where
 * that is not there either. Throws `UserError` for the first thing that is wrong with it.
 */
export async function loadToolsConfig(file: string | undefined): Promise<LoadedConfig | undefined> {
  const found = file ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  if (found === undefined) return undefined;
  loadDotEnv(found);
  return loadConfig(found, {}, { schema: tasklessConfigSchema() });
}

/** Every tool that a profile of the configuration's tasks calls: those that are solved, or those that are made. */
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
