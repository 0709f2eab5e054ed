import { dirname, resolve } from 'node:path';
import { suggestion } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import { checkFilters } from '../../pipeline/config/checkFilters.ts';
import { readConfigDocument } from '../../pipeline/config/configDocument.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { loadProfiles } from '../../pipeline/config/declaredProfiles.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { parseConfig } from '../../pipeline/config/parseConfig.ts';
import { resolveConfigPaths } from '../../pipeline/config/resolveConfigPaths.ts';
import { resolveModels } from '../../pipeline/config/resolveModels.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';

interface SettingsSource {
  /** Configuration file, whose tasks and teacher are ignored; default: default settings. */
  readonly config?: string;
  /** `key=value` each, overriding the file. */
  readonly set?: readonly string[];
}

/** Placeholder for a required section that standalone commands ignore. */
const noTasks = { sources: [{ file: '-', profile: builtinProfileNames[0] }] };

/** Loads the settings of the later stages. Throws `UserError` for invalid ones. */
export async function loadSettings({ config: file, set = [] }: SettingsSource): Promise<LoadedConfig> {
  const written = file === undefined ? undefined : await readConfigDocument(file);
  const document = resolveModels({
    file: file ?? 'settings',
    value: { ...setConfigValues(written?.value, set), tasks: noTasks },
    lineOf: (path) => written?.lineOf(path),
  });
  const folder = file === undefined ? '.' : dirname(resolve(file));
  const parsed = parseConfig(document);
  const { declarations, registry: profiles } = await loadProfiles(document, parsed.profiles, folder);
  const config = { ...resolveConfigPaths(parsed, folder), profiles: declarations };
  const problems = new ConfigProblems(document);
  checkFilters(problems, config, profiles);
  problems.throwIfAny();
  return { document, config, profiles, name: config.name ?? 'standalone' };
}

/** User-given profile for all rows; undefined without one. */
export function namedProfile(profiles: ProfileRegistry, name: string | undefined): Profile | undefined {
  if (name === undefined) return undefined;
  const found = profiles.profileOf(name);
  if (found) return found;
  throw new UserError(`--profile ${name}: unknown profile; ${suggestion(name, profiles.names)}`);
}
