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

/** What the command line and the environment say otherwise than the file. */
export interface ConfigOverrides {
  /** `--set`: `key=value` each; paths start at the file's folder, as in the file. Default: none. */
  readonly set?: readonly string[] | undefined;
  /** `--tasks`: replaces the file of the only task source; relative to the working directory. */
  readonly tasksFile?: string | undefined;
  /** `--base-url`: the teacher's endpoint; makes the backend `openai`. */
  readonly baseUrl?: string | undefined;
  /** `--model`. */
  readonly model?: string | undefined;
  /** `--limit`: most tasks of all sources together. */
  readonly limit?: number | undefined;
  /** `--max-cost`. */
  readonly budget?: BudgetConfig | undefined;
}

/** A configuration that is ready to use. */
export interface LoadedConfig {
  readonly document: ConfigDocument;
  /** Defaults filled in, overrides applied, paths absolute. */
  readonly config: Config;
  /** The built-in profiles and those that the configuration declares. */
  readonly profiles: ProfileRegistry;
  readonly limit?: number | undefined;
  /** Files whose rows stand in for what tasks and teacher would make. */
  readonly imported?: ImportedFiles | undefined;
  /** True for a run that makes tasks from the documents of `synthesize`; absent for one that makes a dataset. */
  readonly synthesis?: true | undefined;
  /** What follows from the reviews of the run's records; absent where nothing does. */
  readonly reviews?: ReviewDecisions;
  /** The configuration's own name, or its file's: the name of the dataset, and of the run where none is given. */
  readonly name: string;
}

/** A run's configuration as if it had been loaded from its file. */
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

/** What a command needs of a configuration, and where that is taken from instead of its file alone. */
interface LoadOptions {
  /** Default: the process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: that of a whole run. */
  readonly schema?: z.ZodType<Config>;
  /** False where nothing calls a tool: then the tools of profiles need not be configured. Default: true. */
  readonly callsTools?: boolean;
  /** Makes another configuration of the file's, for instance that of one benchmark of several. */
  readonly derive?: (document: ConfigDocument) => ConfigDocument;
}

/** Options where nothing is solved: neither `tasks` nor the tools of profiles are looked at. */
export function tasksUnread(): LoadOptions {
  const tasks = z
    .unknown()
    .optional()
    .transform(() => ({ on_bad_task: 'fail' as const, sources: [] }));
  return { schema: configSchema.extend({ tasks }), callsTools: false };
}

/**
 * Reads and checks a configuration file, and brings inputs that it names on the hub to this machine.
 *
 * @throws UserError that names all that is wrong: with its values first, then with its profiles, then with names and files
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

/** A configuration file with what `--set` says otherwise, and with the models that sections name. Throws as {@link readConfigDocument}. */
export async function readSettings(
  file: string,
  { set = [] }: Pick<ConfigOverrides, 'set'>,
): Promise<ConfigDocument> {
  const document = await readConfigDocument(file);
  const changed =
    set.length === 0 ? document : { ...document, set, value: setConfigValues(document.value, set) };
  return resolveModels(changed);
}

/** A preset that drops what does not follow its instructions asks a model about them. */
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

/** Flag over environment over file. The environment names the endpoint only where an endpoint is used at all. */
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

/** A file's name as a run name: characters that a run name can't hold become dashes. */
export function fileName(file: string): string {
  const stem = basename(file, extname(file)).replace(/[^A-Za-z0-9._-]/g, '-');
  return /^[A-Za-z0-9]/.test(stem) ? stem.slice(0, 100) : `run-${stem}`.slice(0, 100);
}

/**
 * An address of a service that comes from elsewhere than the configuration file.
 *
 * @param origin what gave it, as messages name it
 * @throws UserError when it is none; what may hold a key is not repeated
 */
export function checkedServiceUrl(address: string, origin: string): string {
  const parsed = serviceUrl.safeParse(address);
  if (parsed.success) return address;
  const [issue] = parsed.error.issues;
  const got = issue?.code === 'custom' ? '' : ` such as http://localhost:8000/v1, got "${address}"`;
  throw new UserError(`${origin}: expected ${issue?.message}${got}`);
}
