import { resolve } from 'node:path';
import type { z } from 'zod';
import { suggestion } from '../../base/nearestName.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import { builtinRegistry, type ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { configSchema } from '../../schemas/config/config.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import type { ImportFormat } from '../../teachers/importers/formats.ts';
import { inputIdentity } from '../config/hashInput.ts';
import { type ConfigOverrides, type LoadedConfig, loadConfig, tasksUnread } from '../config/loadConfig.ts';
import { readRunFile } from '../run/openRun.ts';
import { loadTurnMap } from './loadTurnMap.ts';

/** The name of the configuration of an import without one. */
export const defaultsFile = '(defaults)';

/** What `coa-distill import` is asked for. */
export interface ImportRequest {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  /** Name of the run, and of the dataset where no configuration names it. */
  readonly name: string;
  readonly profile?: string;
  /** `tool=tag` each, and at most one name of a preset or a file that says how turns of text are read. */
  readonly map: readonly string[];
  /** Whether rows with a part that is not read are refused, by default, or imported without it. */
  readonly onUnread?: OnUnread;
  /** Configuration of the later stages; its tasks are not looked at. Defaults where absent. */
  readonly configFile?: string;
}

/** A configuration whose run begins with imported files. Throws `UserError` for what is not there or not known. */
export async function loadImport(request: ImportRequest): Promise<LoadedConfig> {
  const { profile, format, configFile, onUnread } = request;
  const configured =
    configFile === undefined ? undefined : await loadConfig(configFile, {}, process.env, tasksUnread);
  const profiles = configured?.profiles ?? builtinRegistry;
  if (profile !== undefined && !profiles.profileOf(profile)) {
    throw new UserError(`--profile: unknown profile "${profile}"; ${suggestion(profile, profiles.names)}`);
  }
  const tools = toolMap(
    request.map.filter((entry) => entry.includes('=')),
    profile,
    profiles,
  );
  const turns = await loadTurnMap(
    request.map.filter((entry) => !entry.includes('=')),
    format,
  );
  const files = (await Promise.all(request.files.map(identified))).flat();
  const imported: ImportedFiles = {
    format,
    files,
    tools,
    ...(profile !== undefined && { profile }),
    ...(turns && { turns }),
    ...(onUnread !== undefined && { on_unread: onUnread }),
  };
  return { ...(configured ?? defaultConfig(request.name, imported)), imported };
}

/**
 * The configuration to resume a run with: whole, or that of an imported run, which needs no tasks.
 *
 * @param name of the run; the configuration's own where absent
 * @throws UserError for what is wrong with it
 */
export async function loadRunConfig(
  file: string,
  overrides: ConfigOverrides,
  name: string | undefined,
): Promise<LoadedConfig> {
  try {
    return await loadConfig(file, overrides);
  } catch (error) {
    const taskless = await loadConfig(file, overrides, process.env, tasksUnread).catch(() => undefined);
    const folder = taskless && resolve(taskless.config.runs_dir, name ?? taskless.name);
    if (folder === undefined || !(await readRunFile(folder))?.imported) throw error;
    return taskless!;
  }
}

/** The configuration for a run folder that may hold an imported run: then its files stand in for tasks and teacher. */
export async function withImport(loaded: LoadedConfig, runFolder: string): Promise<LoadedConfig> {
  if (loaded.imported) return loaded;
  const imported = (await readRunFile(runFolder))?.imported;
  return imported ? { ...loaded, imported } : loaded;
}

function toolMap(
  map: readonly string[],
  profile: string | undefined,
  profiles: ProfileRegistry,
): Record<string, string> {
  const tools: Record<string, string> = {};
  for (const pair of map) {
    const at = pair.lastIndexOf('=');
    const tool = pair.slice(0, at);
    const tag = pair.slice(at + 1);
    if (at < 1 || tag === '')
      throw new UserError(`--map: expected tool=tag such as lookup=wiki_search, got "${pair}"`);
    const known = profile === undefined ? profiles.names : [profile];
    if (!known.some((name) => tagRule(profiles.profileOf(name)!, tag))) {
      throw new UserError(`--map: "${tag}" is no tag of ${known.join(', ')}, in "${pair}"`);
    }
    tools[tool] = tag;
  }
  return tools;
}

/** The files of rows at a path, and what they hold. */
async function identified(place: string): Promise<ImportedFiles['files'][number][]> {
  const found = await rowFilesAt(place);
  return Promise.all(
    found.map(async ({ path }) => {
      // Before a run begins.
      await openRowFile(path);
      return { path: resolve(path), identity: await inputIdentity(path) };
    }),
  );
}

/** Filters that drop nothing but what is no trajectory of its profile, or has a wrong answer. */
const filtersOff: z.input<typeof configSchema>['filters'] = {
  min_interactions: 0,
  max_redundant_tool_inputs: null,
  duplicate_questions: 'keep',
  instruction_failures: 'keep',
};

/**
 * Every setting at its default; but finished trajectories come out as they came in, unless a configuration asks for
 * filters. The files stand where tasks would; nothing reads them as tasks.
 */
function defaultConfig(name: string, { files, profile, format }: ImportedFiles): LoadedConfig {
  const sources = files.map(({ path }) => ({ file: path, profile: profile ?? builtinProfileNames[0] }));
  const document = { file: defaultsFile, value: {}, lineOf: () => 1 };
  const filters = format === 'afm' ? filtersOff : {};
  const config = configSchema.parse({ name, tasks: { sources }, filters });
  return { document, config, profiles: builtinRegistry, name };
}
