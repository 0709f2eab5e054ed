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
  /** A configuration file, whose tasks and teacher are not looked at; defaults where absent. */
  readonly config?: string;
  /** `key=value` each, over the file. */
  readonly set?: readonly string[];
}

/** What no standalone command reads, but every configuration has. */
const noTasks = { sources: [{ file: '-', profile: builtinProfileNames[0] }] };

/** The settings of a run's later stages. Throws `UserError` that names what is wrong with them. */
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

/** The profile that the user names for all rows; undefined where none is named. */
export function namedProfile(profiles: ProfileRegistry, name: string | undefined): Profile | undefined {
  if (name === undefined) return undefined;
  const found = profiles.profileOf(name);
  if (found) return found;
  throw new UserError(`--profile ${name}: unknown profile; ${suggestion(name, profiles.names)}`);
}
