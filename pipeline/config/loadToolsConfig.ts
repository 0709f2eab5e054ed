import { existsSync } from 'node:fs';
import { tasklessConfigSchema } from '../../schemas/config/config.ts';
import { type LoadedConfig, loadConfig } from './loadConfig.ts';
import { loadDotEnv } from './loadDotEnv.ts';

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
  return loadConfig(found, {}, { schema: tasklessConfigSchema });
}
