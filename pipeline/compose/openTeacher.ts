import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import type { Resources } from '../../base/resources.ts';
import { createCachingTool, keepDefinition as keptDefinition } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observedCalls.ts';
import type { Session } from '../../contract/session.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherTable } from '../../teachers/teacherTable.ts';
import { rowOfTag } from '../../tools/toolTable.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsOf.ts';
import { startEmbeddedTeacher } from './embeddedTeacher.ts';
import type { LazySandbox } from './lazySandbox.ts';
import { openCache } from './openCache.ts';
import {
  createModelOpener,
  type EmbeddedEndpoint,
  modelsByRole,
  openPlayedModel,
  samplingOf,
} from './openModels.ts';
import { openStudent } from './openStudent.ts';
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
  const cache = await openCache(config, runFolder, session);
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
  const { offline, clock, calls } = session;
  const cached = (tag: string, tool: Tool): Tool => {
    const asked = createObservedTool(tool, calls, clock);
    return createCachingTool({
      tool: asked,
      cache,
      ...answersDependOn(tag, config, shaping),
      offline,
      clock,
    });
  };
  const byRole = { config, embedded, open };
  const several = rolloutPlan(config.teacher).max > 1;
  return teacherTable[config.teacher.backend].create({
    modelFor: modelsByRole(byRole, session),
    // An embedded teacher tells rollouts apart by their seeds.
    samplingFor: (role) => ({ ...(embedded && several && { seed: 0 }), ...samplingOf(config, role) }),
    tools: new Map([...tools].map(([tag, tool]) => [tag, cached(tag, tool)])),
    profileOf: profiles.profileOf,
    maxAsks: config.teacher.max_asks,
    budget: config.teacher.budget,
    clock,
    openStudent: () => openStudent(loaded, openPlayedModel(byRole, session), session),
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

/**
 * What the answers of a configured tool depend on besides the input: who answers, and the tool's settings as they shape
 * its results, files by their content, and the site where it sees that.
 */
function answersDependOn(tag: string, { tools }: Pick<Config, 'tools'>, { rollout }: ConfigFingerprint) {
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
