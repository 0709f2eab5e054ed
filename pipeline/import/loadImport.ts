import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { suggestion } from '../../base/nearestName.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { type configSchema, tasklessConfigSchema } from '../../schemas/config/config.ts';
import { keyTree } from '../../schemas/config/keyTree.ts';
import { mixConfigSchema } from '../../schemas/config/mix.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import {
  type TurnMap,
  turnMapPresetNames,
  turnMapPresets,
  turnMapSchema,
} from '../../schemas/interchange/turnMap.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import type { ImportFormat } from '../../teachers/importers/formats.ts';
import {
  BUILT_PROFILE,
  type BuiltProfile,
  canBeBuiltTag,
} from '../../teachers/importers/survey/profileOfRuns.ts';
import { readConfigDocument } from '../config/configDocument.ts';
import { profilesOfRun, readProfiles } from '../config/declaredProfiles.ts';
import { inputIdentity } from '../config/hashInput.ts';
import { type LoadedConfig, loadConfig, tasksUnread } from '../config/loadConfig.ts';
import { parseDocument } from '../config/parseConfig.ts';
import { defaultsFile } from '../run/runFile.ts';
import { filtersOfBuilt, importedBefore, withBuilt } from './importedRun.ts';
import { surveyFiles } from './openImportSource.ts';

export interface ImportRequest {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  /** Name of the run; default dataset name. */
  readonly name: string;
  readonly profile?: string | undefined;
  /** `tool=tag` pairs, and at most one preset name or file that defines how text turns are read. */
  readonly map: readonly string[];
  /** Handling of rows with an unread part: refused by default, or imported without it. */
  readonly onUnread?: OnUnread | undefined;
  /** Configuration of the later stages, without its tasks. Default: defaults. */
  readonly configFile?: string | undefined;
}

/**
 * Loads a configuration that starts from imported files, with a profile built from the rows unless one is named. Throws
 * `UserError` for missing files and unknown names.
 */
export async function loadImport(request: ImportRequest): Promise<LoadedConfig> {
  const { profile, format, configFile, name, map, onUnread } = request;
  refuseUnused(request);
  const declared = await readProfiles(configFile);
  const isPair = (entry: string) => entry.includes('=');
  const tools = toolMap(map.filter(isPair));
  const turns = await loadTurnMap(
    map.filter((entry) => !isPair(entry)),
    format,
  );
  const builds = buildsProfile(request, declared, tools);
  if (!(builds && profile === BUILT_PROFILE)) checkNames(profile, tools, declared);
  const files = (await Promise.all(request.files.map(identified))).flat();
  const asked = {
    format,
    files,
    tools,
    ...(profile !== undefined && { profile }),
    ...(turns && { turns }),
    ...(onUnread !== undefined && { on_unread: onUnread }),
  };
  const built = builds ? await builtProfile(asked, await importedBefore(configFile, {}, name)) : undefined;
  const imported: ImportedFiles = { ...asked, ...(built && { built }) };
  const loaded =
    configFile === undefined
      ? defaultConfig(name, imported)
      : await loadConfig(configFile, {}, { ...tasksUnread(), derive: withBuilt(imported) });
  return { ...(format === 'sft' ? withRows(loaded, request.files) : loaded), imported };
}

/** Uses the files' rows as the only content of the dataset. */
function withRows(loaded: LoadedConfig, files: readonly string[]): LoadedConfig {
  const mix = mixConfigSchema.parse(files.map((file) => ({ file: resolve(file) })));
  return { ...loaded, config: { ...loaded.config, dataset: { ...loaded.config.dataset, mix } } };
}

/** Rejects options that have no effect on fine-tuning rows. */
function refuseUnused({ format, profile, map, onUnread }: ImportRequest): void {
  if (format !== 'sft') return;
  const given = { '--profile': profile, '--map': map[0], '--on-unread': onUnread };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw new UserError(`${name}: rows of sft are finished, and no profile reads them; leave the option out`);
}

/**
 * True if the profile is built from the rows: requested by name, or none is named and none declared.
 *
 * @throws UserError for `--map` to a tag that no such profile can have
 */
function buildsProfile(
  { format, profile }: ImportRequest,
  declared: ProfileRegistry,
  tools: Readonly<Record<string, string>>,
): boolean {
  if (format === 'afm' || format === 'sft' || declared.profileOf(BUILT_PROFILE)) return false;
  const wrong = Object.entries(tools).find(([, tag]) => !canBeBuiltTag(tag));
  if (profile === undefined) return !wrong && declared.names.length === builtinProfileNames.length;
  if (profile !== BUILT_PROFILE) return false;
  if (!wrong) return true;
  throw new UserError(
    `--map: expected think, plan, answer, or a tool's tag of small letters, digits and underscores, got "${wrong[1]}", in "${wrong.join('=')}"`,
  );
}

/** Profile of the run's earlier import, otherwise one built now. */
async function builtProfile(
  asked: ImportedFiles,
  before: ImportedFiles | undefined,
): Promise<BuiltProfile | undefined> {
  const identities = ({ files }: ImportedFiles) => files.map(({ identity }) => identity).join('\n');
  if (before?.built && identities(before) === identities(asked)) return before.built;
  return surveyFiles(asked);
}

function toolMap(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair) => {
    const at = pair.lastIndexOf('=');
    const [tool, tag] = [pair.slice(0, at), pair.slice(at + 1)];
    if (at < 1 || tag === '')
      throw new UserError(`--map: expected tool=tag such as lookup=wiki_search, got "${pair}"`);
    return [tool, tag] as const;
  });
  return Object.fromEntries(entries);
}

/** Rejects unknown profiles and tags, and a missing profile. */
function checkNames(
  profile: string | undefined,
  tools: Readonly<Record<string, string>>,
  { names, profileOf }: ProfileRegistry,
): void {
  if (profile !== undefined && !profileOf(profile))
    throw new UserError(`--profile: unknown profile "${profile}"; ${suggestion(profile, names)}`);
  const known = profile === undefined ? names : [profile];
  for (const [tool, tag] of Object.entries(tools))
    if (!known.some((name) => tagRule(profileOf(name)!, tag)))
      throw new UserError(`--map: "${tag}" is not a tag of ${known.join(', ')}, in "${tool}=${tag}"`);
}

async function identified(place: string): Promise<ImportedFiles['files'][number][]> {
  const found = await rowFilesAt(place);
  return Promise.all(
    found.map(async ({ path }) => {
      // Fails before the run begins.
      await openRowFile(path);
      return { path: resolve(path), identity: await inputIdentity(path) };
    }),
  );
}

/** Filters that only drop invalid trajectories and wrong answers. */
const filtersOff: z.input<typeof configSchema>['filters'] = {
  min_interactions: 0,
  max_redundant_tool_inputs: null,
  duplicate_questions: 'keep',
  instruction_failures: 'keep',
  form_text: 'keep',
  grounding: { drop: false },
};

/** Default configuration; finished trajectories pass unfiltered unless a configuration sets filters. */
function defaultConfig(name: string, { format, built }: ImportedFiles): LoadedConfig {
  const document = { file: defaultsFile, value: {}, lineOf: () => 1 };
  const filters = format === 'afm' ? filtersOff : built ? filtersOfBuilt : {};
  const profiles = built ? [built.declaration] : [];
  const config = tasklessConfigSchema().parse({ name, filters, profiles });
  return { document, config, profiles: profilesOfRun({ profiles }), name };
}

/**
 * Mapping of text turns from `--map`: a preset, or a YAML or JSON file of {@link turnMapSchema}; undefined if not
 * given.
 *
 * @throws UserError for several mappings, for another format, and for an unknown name
 */
export async function loadTurnMap(
  names: readonly string[],
  format: ImportFormat,
): Promise<TurnMap | undefined> {
  const [name, second] = names;
  if (name === undefined) return undefined;
  if (second !== undefined)
    throw new UserError(`--map: ${name} and ${second} both say how turns are read; name one`);
  if (format !== 'openai' && format !== 'adp')
    throw new UserError(`--map: ${name} is for conversations, the formats openai and adp; got ${format}`);
  const preset = Object.entries(turnMapPresets).find(([known]) => known === name);
  if (preset) return preset[1];
  if (!existsSync(name)) {
    throw new UserError(
      `--map: expected tool=tag such as lookup=wiki_search, a preset, or a file; "${name}" is none of them (presets: ${suggestion(name, turnMapPresetNames)})`,
    );
  }
  return parseDocument(await readConfigDocument(name), turnMapSchema, keyTree(turnMapSchema));
}
