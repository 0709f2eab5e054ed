import { join, resolve } from 'node:path';
import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { fetchHubFiles } from '../../calls/hub/fetchHubFiles.ts';
import { HUB_PREFIX, type HubAddress, parseHubAddress } from '../../calls/hub/hubAddress.ts';
import type { FetchedFiles } from '../../calls/hub/hubCache.ts';
import { hubSettings } from '../../calls/hub/hubClient.ts';
import { type Config, configKeys } from '../../schemas/config/config.ts';
import { type LeafValue, leafValues } from '../../schemas/config/keyTree.ts';
import type { ConfigProblems } from './configProblems.ts';

export interface ConfigPath {
  readonly keys: readonly (string | number)[];
  readonly path: string;
  readonly isPattern: boolean;
}

/** Lists every file or folder that a configuration reads, in the order of its sections. */
export function configPaths(config: Config): ConfigPath[] {
  return pathsOf(config).flatMap(({ meaning, ...found }) => (meaning.path === 'input' ? [found] : []));
}

export function mapConfigPaths(config: Config, replace: (found: ConfigPath) => string): Config {
  return withValues(config, configPaths(config), replace);
}

/** Resolves relative paths against `folder`; hub addresses stay. */
export function resolveConfigPaths(config: Config, folder: string): Config {
  const mapped = withValues(config, pathsOf(config), ({ path }) => resolveInput(folder, path));
  for (const server of Object.values(mapped.tools.mcp?.servers ?? {})) {
    if (server.command !== undefined) server.cwd ??= resolve(folder);
  }
  return mapped;
}

/** Resolves a path against `folder`; hub addresses stay. */
export function resolveInput(folder: string, path: string): string {
  return path.startsWith(HUB_PREFIX) ? path : resolve(folder, path);
}

function textsOf(config: Config): LeafValue[] {
  return leafValues(configKeys, config).flatMap((leaf) =>
    Array.isArray(leaf.value)
      ? leaf.value.map((value, at) => ({ ...leaf, keys: [...leaf.keys, at], value }))
      : leaf,
  );
}

function pathsOf(config: Config): (ConfigPath & Pick<LeafValue, 'meaning'>)[] {
  return textsOf(config).flatMap(({ keys, value, meaning }) => {
    const isPath =
      meaning.path && typeof value === 'string' && !meaning.names?.includes(value) && !isWebAddress(value);
    const isUnread = keys.join('.') === 'teacher.script' && config.teacher.backend !== 'scripted';
    return isPath && !isUnread ? [{ keys, path: value, isPattern: meaning.many === true, meaning }] : [];
  });
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function withValues<Place extends Pick<ConfigPath, 'keys'>>(
  config: Config,
  places: readonly Place[],
  replace: (place: Place) => string,
): Config {
  const copy = structuredClone(config);
  for (const place of places) {
    const parent = place.keys.slice(0, -1).reduce<unknown>((at, key) => (at as Values)[key], copy);
    (parent as Values)[place.keys.at(-1)!] = replace(place);
  }
  return copy;
}

type Values = Record<string | number, unknown>;

/** Keys of URLs that contain a user, a password or a query. */
export function keysOfSecrets(config: Config): string[] {
  return textsOf(config).flatMap(({ keys, value, meaning }) => {
    if (!meaning.secret) return [];
    const { username, password, search, hash } = new URL(String(value));
    return `${username}${password}${search}${hash}` === '' ? [] : [keys.join('.')];
  });
}

/** Configuration as written into run folders: URLs without possible secrets. */
export function redactedConfig(config: Config): JsonObject {
  const secrets = textsOf(config).filter(({ meaning }) => meaning.secret);
  const redacted = withValues(config, secrets, ({ value }) => addressWithoutSecrets(String(value)));
  // Drops undefined values, as files do.
  return JSON.parse(JSON.stringify(redacted)) as JsonObject;
}

/**
 * Downloads the inputs that a configuration names on the Hugging Face hub.
 *
 * @returns the configuration with local paths
 * @throws UserError that names each key whose input is unavailable or ambiguous
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
  return pathOf(address, await fetchHubFiles(address, { settings: hubSettings(env), signal }));
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
