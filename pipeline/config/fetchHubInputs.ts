import { join } from 'node:path';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { fetchHubFiles } from '../../calls/hub/fetchHubFiles.ts';
import { HUB_PREFIX, type HubAddress, parseHubAddress } from '../../calls/hub/hubAddress.ts';
import type { FetchedFiles } from '../../calls/hub/hubCache.ts';
import { hubSettings } from '../../calls/hub/hubClient.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { ConfigProblems } from './configProblems.ts';
import { configPaths, mapConfigPaths } from './resolveConfigPaths.ts';

/**
 * Brings the inputs that a configuration names on Hugging Face's hub to this machine.
 *
 * @returns the configuration with their paths here
 * @throws UserError that names each key whose input can't be had, or names more than one file or folder
 */
export async function fetchHubInputs(
  problems: ConfigProblems,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<Config> {
  const paths = new Map<string, string>();
  for (const { keys, path } of configPaths(config)) {
    if (!path.startsWith(HUB_PREFIX) || paths.has(path)) continue;
    const fetched = await problems.attempt(keys, () => fetchedPath(path, env));
    if (fetched !== undefined) paths.set(path, fetched);
  }
  problems.throwIfAny();
  return paths.size === 0 ? config : mapConfigPaths(config, ({ path }) => paths.get(path) ?? path);
}

async function fetchedPath(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const address = parseHubAddress(text);
  const signal = new AbortController().signal;
  return pathOf(
    address,
    await fetchHubFiles(address, { settings: hubSettings(env), signal, clock: systemClock }),
  );
}

/** The one file, or the folder, that an address names. */
function pathOf({ path }: HubAddress, { folder, files }: FetchedFiles): string {
  if (path === undefined) return folder;
  const [first, ...others] = files;
  if (others.length === 0) return first!.file;
  if (files.every((file) => file.path.startsWith(`${path}/`))) return join(folder, path);
  const names = files.slice(0, 5).map((file) => file.path);
  throw new UserError(`${path} names ${files.length} files; name one of them: ${names.join(', ')}`);
}
