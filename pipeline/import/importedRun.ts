import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { configSchema } from '../../schemas/config/config.ts';
import type { ProfileDeclaration } from '../../schemas/config/profiles.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import type { ConfigDocument } from '../config/configDocument.ts';
import {
  type ConfigOverrides,
  fileName,
  type LoadedConfig,
  loadConfig,
  readSettings,
  tasksUnread,
} from '../config/loadConfig.ts';
import { defaultsFile, readRunFile } from '../run/runFile.ts';

/** Filters under a built profile: nothing says which of its tools bring evidence, so no answer is dropped for want of it. */
export const filtersOfBuilt = { grounding: { drop: false } };

/** Adds the profile that was built from a run's rows to its configuration, unless that declares one of its name. */
export function withBuilt(imported: ImportedFiles | undefined) {
  const declaration = imported?.built?.declaration;
  return (document: ConfigDocument): ConfigDocument => {
    const parsed = z
      .looseObject({ profiles: z.array(z.unknown()).default([]), filters: z.looseObject({}).default({}) })
      .safeParse(document.value ?? {});
    if (declaration === undefined || !parsed.success) return document;
    const { profiles, filters } = parsed.data;
    const names = profiles.map((profile) => (profile as { name?: unknown } | null)?.name);
    if (names.includes(declaration.name)) return document;
    const added = { profiles: [...profiles, declaration], filters: { ...filtersOfBuilt, ...filters } };
    return { ...document, value: { ...parsed.data, ...added } };
  };
}

/** What the run of a configuration was imported from before; undefined where there is no run, or none that was. */
export async function importedBefore(
  file: string | undefined,
  overrides: ConfigOverrides,
  name: string | undefined,
): Promise<ImportedFiles | undefined> {
  const value = file === undefined ? {} : (await readSettings(file, overrides)).value;
  const { runs_dir, name: own } = placeSchema.safeParse(value ?? {}).data ?? placeSchema.parse({});
  const folder = resolve(dirname(file ?? ''), runs_dir, name ?? own ?? fileName(file ?? defaultsFile));
  return (await readRunFile(folder))?.imported;
}

/** What of a configuration says where its run is. */
const placeSchema = z.looseObject({
  runs_dir: configSchema.shape.runs_dir,
  name: configSchema.shape.name,
});

/**
 * The configuration to resume a run with; of an imported run its tasks are not looked at, and the profile that was built
 * from its rows is among its profiles.
 *
 * @param name of the run; the configuration's own where absent
 * @throws UserError for what is wrong with it
 */
export async function loadRunConfig(
  file: string,
  overrides: ConfigOverrides,
  name: string | undefined,
): Promise<LoadedConfig> {
  const imported = await importedBefore(file, overrides, name);
  if (!imported) return loadConfig(file, overrides);
  return loadConfig(file, overrides, { ...tasksUnread(), derive: withBuilt(imported) });
}

/** The configuration for a run folder that may hold an imported run: then its files stand in for tasks and teacher. */
export async function withImport(loaded: LoadedConfig, runFolder: string): Promise<LoadedConfig> {
  if (loaded.imported) return loaded;
  const imported = (await readRunFile(runFolder))?.imported;
  return imported ? { ...loaded, imported } : loaded;
}

/** The file in a run's folder with the profile that was built from its rows, as a configuration has it. */
export const PROFILE_FILE = 'profile.yaml';

/** A profile as the section `profiles` of a configuration. */
export function profileYaml(declaration: ProfileDeclaration): string {
  return stringify({ profiles: [declaration] }, { lineWidth: 0 });
}

/** Writes the profile that was built from a run's rows beside them, unless it is there: a person may have edited it. */
export async function writeProfileFile(folder: string, { built }: ImportedFiles): Promise<void> {
  const path = join(folder, PROFILE_FILE);
  if (!built || existsSync(path)) return;
  const note =
    '# Built from the tools and the order of the imported rows. To change it, edit it, give it a name of its own, and\n# import again with --config and --profile, or copy it into the profiles of a configuration.\n';
  await replaceFile(path, note + profileYaml(built.declaration));
}
