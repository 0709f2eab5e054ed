import { basename, dirname, extname, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { type BudgetConfig, type Config, configSchema } from '../../schemas/config/config.ts';
import { filterPresetOf } from '../../schemas/config/filterPresets.ts';
import { serviceUrl } from '../../schemas/config/keyMeaning.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import type { ImportedFiles, RunFile } from '../../schemas/run/runFile.ts';
import type { ReviewDecisions } from '../../stages/review/createReviewStage.ts';
import { isSynthesis } from '../run/runFile.ts';
import { checkConfig, checkFiles } from './checkConfig.ts';
import { type ConfigDocument, place, readConfigDocument } from './configDocument.ts';
import { ConfigProblems } from './configProblems.ts';
import { loadProfiles, profilesOfRun } from './declaredProfiles.ts';
import { parseConfig } from './parseConfig.ts';
import { fetchHubInputs, resolveConfigPaths, resolveInput } from './resolveConfigPaths.ts';
import { resolveModels } from './resolveModels.ts';
import { setConfigValues } from './setConfigValues.ts';

/** Overrides from the command line and the environment. */
export interface ConfigOverrides {
  /** `--set`: `key=value` each; paths are relative to the configuration file. Default: none. */
  readonly set?: readonly string[] | undefined;
  /** `--tasks`: replaces the file of the only task source; relative to the working directory. */
  readonly tasksFile?: string | undefined;
  /** `--base-url`: the teacher's endpoint; makes the backend `openai`. */
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** `--limit`: maximum number of tasks over all sources. */
  readonly limit?: number | undefined;
  readonly budget?: BudgetConfig | undefined;
}

export interface LoadedConfig {
  readonly document: ConfigDocument;
  /** With defaults and overrides applied and absolute paths. */
  readonly config: Config;
  readonly profiles: ProfileRegistry;
  readonly limit?: number | undefined;
  /** Imported files, which replace tasks and teacher. */
  readonly imported?: ImportedFiles | undefined;
  /** True for a run that makes tasks from the documents of `synthesize`; absent for a dataset run. */
  readonly synthesis?: true | undefined;
  /** Decisions from reviews of the run's records; absent without reviews. */
  readonly reviews?: ReviewDecisions;
  /** `name` of the configuration, or its file name: the dataset's name and the default run name. */
  readonly name: string;
}

export function loadedOfRun(run: RunFile, config: Config): LoadedConfig {
  return {
    document: { file: run.config_file, value: run.config, lineOf: () => 1 },
    config,
    profiles: profilesOfRun(run.config),
    name: config.name ?? run.dataset_name,
    imported: run.imported,
    synthesis: isSynthesis(run) || undefined,
  };
}

/** Options of a command that reads only part of a configuration or changes its source. */
interface LoadOptions {
  /** Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the schema of a whole run. */
  readonly schema?: z.ZodType<Config>;
  /** False if no tool is called, so that the tools of profiles may be missing. Default: true. */
  readonly callsTools?: boolean;
  /** Derives another configuration, for instance that of one benchmark of several. */
  readonly derive?: (document: ConfigDocument) => ConfigDocument;
}

/** Options for commands that solve no tasks: `tasks` and the tools of profiles are ignored. */
export function tasksUnread(): LoadOptions {
  const tasks = z
    .unknown()
    .optional()
    .transform(() => ({ on_bad_task: 'fail' as const, sources: [] }));
  return { schema: configSchema.extend({ tasks }), callsTools: false };
}

/**
 * Reads and checks a configuration file, and downloads its inputs from the hub.
 *
 * @throws UserError that lists all problems of one kind: values first, then profiles, then names and files
 */
export async function loadConfig(
  file: string,
  overrides: ConfigOverrides = {},
  { env = process.env, schema, callsTools = true, derive = (document) => document }: LoadOptions = {},
): Promise<LoadedConfig> {
  const document = derive(await readSettings(file, overrides));
  const folder = dirname(resolve(file));
  const parsed = resolveConfigPaths(parseConfig(document, schema), folder);
  const { declarations, registry: profiles } = await loadProfiles(document, parsed.profiles, folder);
  const problems = new ConfigProblems(document);
  const judged = withPresetJudge(problems, { ...parsed, profiles: declarations });
  const config = applyOverrides(problems, judged, overrides, env);
  checkConfig(problems, config, profiles, { callsTools });
  const flags = new Map(overrides.tasksFile === undefined ? [] : [['tasks.sources.0.file', '--tasks']]);
  checkFiles(problems, config, flags);
  problems.throwIfAny();
  return {
    document,
    config: await fetchHubInputs(problems, config, env),
    profiles,
    name: config.name ?? fileName(file),
    limit: overrides.limit,
  };
}

/** Reads a configuration file, applies `--set` and resolves named models. Throws as {@link readConfigDocument}. */
export async function readSettings(
  file: string,
  { set = [] }: Pick<ConfigOverrides, 'set'>,
): Promise<ConfigDocument> {
  const document = await readConfigDocument(file);
  const changed =
    set.length === 0 ? document : { ...document, set, value: setConfigValues(document.value, set) };
  return resolveModels(changed);
}

/** Adds the judge model needed by presets that check whether instructions were followed. */
function withPresetJudge(problems: ConfigProblems, config: Config): Config {
  const { judge, filters } = config;
  const isAsked =
    filterPresetOf(problems.document.value) === 'afm' && filters.instruction_failures === 'drop';
  if (!isAsked || judge.instructions) return config;
  if (judge.model) return { ...config, judge: { ...judge, instructions: {} } };
  problems.add(
    ['filters', 'preset'],
    'afm drops what does not follow its instructions, which a model is asked about; add judge.model, or filters.instruction_failures: keep',
  );
  return config;
}

/**
 * Applies overrides: flag over environment over file. The environment sets the endpoint only if the configuration uses
 * one.
 */
function applyOverrides(
  problems: ConfigProblems,
  config: Config,
  overrides: ConfigOverrides,
  env: NodeJS.ProcessEnv,
): Config {
  const { teacher } = config;
  const backend = overrides.baseUrl === undefined || asksEndpoint(teacher) ? teacher.backend : 'openai';
  const url = (address: string | undefined, origin: string) => {
    try {
      return address ? checkedServiceUrl(address, origin) : undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.addElsewhere(error.message);
      return undefined;
    }
  };
  const baseUrl =
    url(overrides.baseUrl, '--base-url') ??
    (asksEndpoint({ backend })
      ? url(env.OPENAI_BASE_URL?.trim(), 'the environment variable OPENAI_BASE_URL')
      : undefined) ??
    teacher.model.endpoint.base_url;
  return {
    ...config,
    budget: { ...config.budget, ...overrides.budget },
    tasks: {
      ...config.tasks,
      sources:
        overrides.tasksFile === undefined
          ? config.tasks.sources
          : withFile(problems, config.tasks.sources, overrides.tasksFile),
    },
    teacher: {
      ...teacher,
      backend,
      model: {
        ...teacher.model,
        model: overrides.model ?? teacher.model.model,
        endpoint: { ...teacher.model.endpoint, ...(baseUrl && { base_url: baseUrl }) },
      },
    },
  };
}

type Sources = Config['tasks']['sources'];

function withFile(problems: ConfigProblems, sources: Sources, file: string): Sources {
  const [source, ...others] = sources;
  if (source !== undefined && others.length === 0) return [{ ...source, file: resolveInput('.', file) }];
  problems.addElsewhere(
    `${place(problems.document, ['tasks', 'sources'])}: --tasks works with one source; this configuration has ${sources.length}: name the files in tasks.sources`,
  );
  return sources;
}

/** Derives a run name from a file name; invalid characters become dashes. */
export function fileName(file: string): string {
  const stem = basename(file, extname(file)).replace(/[^A-Za-z0-9._-]/g, '-');
  return /^[A-Za-z0-9]/.test(stem) ? stem.slice(0, 100) : `run-${stem}`.slice(0, 100);
}

/**
 * Checks a service address from outside of the configuration file.
 *
 * @param origin its source, as named in messages
 * @throws UserError for an invalid address, without repeating a possible key
 */
export function checkedServiceUrl(address: string, origin: string): string {
  const parsed = serviceUrl.safeParse(address);
  if (parsed.success) return address;
  const [issue] = parsed.error.issues;
  const got = issue?.code === 'custom' ? '' : ` such as http://localhost:8000/v1, got "${address}"`;
  throw new UserError(`${origin}: expected ${issue?.message}${got}`);
}
