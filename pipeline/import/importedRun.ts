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

/** Filters for a built profile. Drops no ungrounded answer, since it is unknown which tools give evidence. */
export const filtersOfBuilt = { grounding: { drop: false } };

/** Adds the profile built from a run's rows, unless the configuration declares one of that name. */
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

/** Files of the run's earlier import; undefined without a run or import. */
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

/** The keys that locate the run folder. */
const placeSchema = z.looseObject({
  runs_dir: configSchema.shape.runs_dir,
  name: configSchema.shape.name,
});

/**
 * Loads the configuration to resume a run with. For imported runs, tasks are ignored and the built profile is added.
 *
 * @param name of the run; default: the configuration's
 * @throws UserError for an invalid configuration
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

/** Adds the imported files if the run folder holds an imported run; they replace tasks and teacher. */
export async function withImport(loaded: LoadedConfig, runFolder: string): Promise<LoadedConfig> {
  if (loaded.imported) return loaded;
  const imported = (await readRunFile(runFolder))?.imported;
  return imported ? { ...loaded, imported } : loaded;
}

/** File in a run's folder with the profile built from its rows, as configuration YAML. */
export const PROFILE_FILE = 'profile.yaml';

/** Formats a profile as the section `profiles`. */
export function profileYaml(declaration: ProfileDeclaration): string {
  return stringify({ profiles: [declaration] }, { lineWidth: 0 });
}

/** Writes the built profile beside the rows, unless the file exists: it may have been edited. */
export async function writeProfileFile(folder: string, { built }: ImportedFiles): Promise<void> {
  const path = join(folder, PROFILE_FILE);
  if (!built || existsSync(path)) return;
  const note =
    '# Built from the tools and the order of the imported rows. To change it, edit it, give it a name of its own, and\n# import again with --config and --profile, or copy it into the profiles of a configuration.\n';
  await replaceFile(path, note + profileYaml(built.declaration));
}
