import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import type { Resources } from '../../base/resources.ts';
import { createCachingTool, keepDefinition as keptDefinition } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import { teacherTable } from '../../teachers/teacherTable.ts';
import { rowOfTag } from '../../tools/toolTable.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsOf.ts';
import { startEmbeddedTeacher } from './embeddedTeacher.ts';
import type { LazySandbox } from './lazySandbox.ts';
import { openCache } from './openCache.ts';
import { createModelOpener, type EmbeddedEndpoint, modelsByRole, samplingOf } from './openModels.ts';
import { openToolModels } from './openToolModels.ts';
import { type OpenToolsOptions, openTools } from './openTools.ts';

/** Whose teacher it is. */
interface TeacherPlace {
  readonly loaded: LoadedConfig;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly sandbox: LazySandbox | undefined;
}

/** Opens the teacher of a run with its cache, its tools and, for an embedded one, its server. */
export async function openTeacher(place: TeacherPlace, session: Session): Promise<Teacher> {
  const { loaded, shaping, runFolder, sandbox } = place;
  const { config, profiles } = loaded;
  const wanted = toolsOf(loaded);
  const cache = await openCache({ config, runFolder }, session);
  if (wanted.has('code') && !session.offline) await sandbox?.open();
  const cacheFolder = join(runFolder, '..', '.cache');
  const open = createModelOpener(session, cache);
  const models = openToolModels({ config, open }, session);
  const keepDefinition: OpenToolsOptions['keepDefinition'] = (tag, ask) => {
    const { provider, settings } = answersDependOn(tag, config, shaping);
    const tool = { name: tag, provider, settings: settings.settings as JsonObject };
    return keptDefinition(tool, { ...session, cache }, ask);
  };
  const tools = await openTools({ config, wanted, cacheFolder, sandbox, models, keepDefinition }, session);
  const embedded = await openEmbedded(place, session.resources);
  return teacherTable[config.teacher.backend].create({
    modelFor: modelsByRole({ config, embedded, open }, session),
    samplingFor: (role) => samplingOf(config, role),
    tools: cachingTools({ tools, config, shaping, cache }, session),
    profileOf: profiles.profileOf,
    maxAsks: config.teacher.max_asks,
    budget: config.teacher.budget,
    clock: session.clock,
  });
}

/** The server of an embedded teacher, and what its answers depend on; undefined for an endpoint of the user's own. */
async function openEmbedded(
  { loaded, shaping, runFolder }: TeacherPlace,
  resources: Resources,
): Promise<EmbeddedEndpoint | undefined> {
  const { teacher, seed } = loaded.config;
  const { script } = teacherTable[teacher.backend];
  if (!script) return undefined;
  const baseUrl = await startEmbeddedTeacher(loaded, runFolder, resources);
  const settings = (shaping.rollout.teacher ?? {}) as JsonObject;
  const plays = {
    ...Object.fromEntries(script.keys.map((key) => [key, settings[key]])),
    ...script.dependsOn?.({ tasks: shaping.tasks, seed }),
    version: packageVersion(),
  };
  return { baseUrl, plays };
}

/** The tools of a run, and what their answers depend on. */
interface CachingToolsOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly config: Pick<Config, 'tools'>;
  readonly shaping: ConfigFingerprint;
  readonly cache: AnswerCache;
}

/** Puts the cache before each of a run's tools, and what watches them between. */
function cachingTools(
  { tools, config, shaping, cache }: CachingToolsOptions,
  { offline, clock, calls }: Session,
): ReadonlyMap<string, Tool> {
  return new Map(
    [...tools].map(([name, tool]) => {
      const { provider, settings } = answersDependOn(name, config, shaping);
      const observed = createObservedTool(tool, calls, clock);
      return [name, createCachingTool({ tool: observed, cache, provider, settings, offline, clock })];
    }),
  );
}

/** What a tool's answers depend on besides the input. */
interface AnswersDependOn {
  /** Who answers. */
  readonly provider: string;
  /** The tool's settings as they shape its results, files by their content, and the site where it sees that. */
  readonly settings: JsonObject;
}

/** What the answers of a configured tool depend on. */
function answersDependOn(
  tag: string,
  { tools }: Pick<Config, 'tools'>,
  { rollout }: ConfigFingerprint,
): AnswersDependOn {
  const row = rowOfTag(tools, tag)!;
  const shaping = isJsonObject(rollout.tools) ? rollout.tools : {};
  const custom = isJsonObject(shaping.custom) ? shaping.custom : {};
  const mcp = isJsonObject(shaping.mcp) ? shaping.mcp : {};
  return {
    provider: row.providerOf(tools, tag),
    settings: {
      settings: shaping[tag] ?? custom[tag] ?? mcp[tag],
      site: row.seesSite ? shaping.site : undefined,
    },
  };
}
