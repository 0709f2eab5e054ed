import { basename, dirname, extname, resolve } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { BudgetConfig } from '../../schemas/config/config.ts';
import { type Config, configSchema } from '../../schemas/config/config.ts';
import { filterPresetOf, withFilterPreset } from '../../schemas/config/filterPresets.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import { checkConfig } from './checkConfig.ts';
import { checkedServiceUrl } from './checkedServiceUrl.ts';
import { type ConfigDocument, readConfigDocument } from './configDocument.ts';
import { profileRegistryOf } from './declaredProfiles.ts';
import { explainConfigIssue, mostTellingIssue, place } from './explainConfigIssue.ts';
import { fetchHubInputs } from './fetchHubInputs.ts';
import { readInstructions } from './readInstructions.ts';
import { resolveConfigPaths, resolveInput } from './resolveConfigPaths.ts';

/** What the command line and the environment say otherwise than the file. */
export interface ConfigOverrides {
  /** `--tasks`: replaces the file of the only task source; relative to the working directory. */
  readonly tasksFile?: string;
  /** `--on-bad-task`. */
  readonly onBadTask?: 'fail' | 'skip';
  /** `--base-url`: the teacher's endpoint; makes the backend `openai`. */
  readonly baseUrl?: string;
  /** `--model`. */
  readonly model?: string;
  /** `--limit`: most tasks of all sources together. */
  readonly limit?: number;
  /** `--max-cost`, `--max-tokens`, `--max-hours`. */
  readonly budget?: BudgetConfig;
}

/** A configuration that is ready to use. */
export interface LoadedConfig {
  readonly document: ConfigDocument;
  /** Defaults filled in, overrides applied, paths absolute. */
  readonly config: Config;
  /** The built-in profiles and those that the configuration declares. */
  readonly profiles: ProfileRegistry;
  readonly limit?: number;
  /** Files whose rows stand in for what tasks and teacher would make. */
  readonly imported?: ImportedFiles;
  /** The configuration's own name, or its file's: the name of the dataset, and of the run where none is given. */
  readonly name: string;
}

/** What a command needs of a configuration. */
export interface ConfigNeeds {
  readonly schema: z.ZodType<Config>;
  /** False where nothing calls a tool: then the tools of profiles need not be configured. */
  readonly callsTools: boolean;
}

const wholeRun: ConfigNeeds = { schema: configSchema, callsTools: true };

/**
 * Reads and checks a configuration file, and brings inputs that it names on the hub to this machine. Throws `UserError` for the first thing that is wrong with it.
 *
 * @param needs of the command; those of a whole run where absent
 */
export async function loadConfig(
  file: string,
  overrides: ConfigOverrides = {},
  env: NodeJS.ProcessEnv = process.env,
  needs: ConfigNeeds = wholeRun,
): Promise<LoadedConfig> {
  const document = await readConfigDocument(file);
  const config = withPresetJudge(document, parseConfig(document, needs.schema));
  const folder = dirname(resolve(file));
  const resolved = {
    ...resolveConfigPaths(config, folder),
    profiles: await readInstructions(document, config.profiles, folder),
  };
  const overridden = applyOverrides(document, resolved, overrides, env);
  const profiles = profileRegistryOf(document, resolved.profiles);
  checkConfig(document, overridden, profiles, needs);
  return {
    document,
    config: await fetchHubInputs(document, overridden, env),
    profiles,
    name: config.name ?? fileName(file),
    ...(overrides.limit !== undefined && { limit: overrides.limit }),
  };
}

/** The validated configuration of a document, defaults and the filter preset's values filled in. */
export function parseConfig(document: ConfigDocument, schema: z.ZodType<Config> = configSchema): Config {
  const parsed = schema.safeParse(withFilterPreset(document.value ?? {}));
  if (parsed.success) return parsed.data;
  throw new UserError(explainConfigIssue(document, mostTellingIssue(parsed.error.issues)));
}

/** A preset that drops what does not follow its instructions asks a model about them. */
function withPresetJudge(document: ConfigDocument, config: Config): Config {
  const { judge, filters } = config;
  const isAsked = filterPresetOf(document.value) === 'afm' && filters.instruction_failures === 'drop';
  if (!isAsked || judge.instructions) return config;
  if (judge.model) return { ...config, judge: { ...judge, instructions: {} } };
  throw new UserError(
    `${place(document, ['filters', 'preset'])}: afm drops what does not follow its instructions, which a model is asked about; add judge.model, or filters.instruction_failures: keep`,
  );
}

/** Flag over environment over file. The environment names the endpoint only where an endpoint is used at all. */
function applyOverrides(
  document: ConfigDocument,
  config: Config,
  overrides: ConfigOverrides,
  env: NodeJS.ProcessEnv,
): Config {
  const { teacher } = config;
  const backend = overrides.baseUrl === undefined || asksEndpoint(teacher) ? teacher.backend : 'openai';
  const baseUrl =
    (overrides.baseUrl === undefined ? undefined : checkedServiceUrl(overrides.baseUrl, '--base-url')) ??
    (asksEndpoint({ backend }) ? environmentUrl(env) : undefined) ??
    teacher.endpoint.base_url;
  return {
    ...config,
    budget: { ...config.budget, ...overrides.budget },
    tasks: {
      on_bad_task: overrides.onBadTask ?? config.tasks.on_bad_task,
      sources:
        overrides.tasksFile === undefined
          ? config.tasks.sources
          : [withFile(document, config, overrides.tasksFile)],
    },
    teacher: {
      ...teacher,
      backend,
      model: overrides.model ?? teacher.model,
      endpoint: { ...teacher.endpoint, ...(baseUrl && { base_url: baseUrl }) },
    },
  };
}

function environmentUrl(env: NodeJS.ProcessEnv): string | undefined {
  const url = env.OPENAI_BASE_URL?.trim();
  return url ? checkedServiceUrl(url, 'the environment variable OPENAI_BASE_URL') : undefined;
}

function withFile(document: ConfigDocument, config: Config, file: string): Config['tasks']['sources'][0] {
  const [source, ...others] = config.tasks.sources;
  if (source === undefined || others.length > 0) {
    throw new UserError(
      `${place(document, ['tasks', 'sources'])}: --tasks replaces the file of the only source, but there are ${others.length + 1}; name the files in the configuration`,
    );
  }
  return { ...source, file: resolveInput('.', file) };
}

/** A file's name as a run name: characters that a run name can't hold become dashes. */
function fileName(file: string): string {
  const stem = basename(file, extname(file)).replace(/[^A-Za-z0-9._-]/g, '-');
  return /^[A-Za-z0-9]/.test(stem) ? stem.slice(0, 100) : `run-${stem}`.slice(0, 100);
}
