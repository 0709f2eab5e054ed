import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { createCachingTool, keepDefinition as keptDefinition } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import { rowOfTag } from '../../tools/toolTable.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LazySandbox } from './lazySandbox.ts';
import { createModelOpener } from './openModels.ts';
import { openToolModels } from './openToolModels.ts';
import { type OpenToolsOptions, openTools } from './openTools.ts';

interface CachedToolsOptions {
  readonly loaded: { readonly config: Config };
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly sandbox: LazySandbox | undefined;
  readonly cache: AnswerCache;
  readonly wanted: ReadonlySet<string>;
}

/** Opens a configuration's tools behind the cache and reports their calls to the observer. Throws as `openTools`. */
export async function openCachedTools(
  { loaded: { config }, shaping, runFolder, sandbox, cache, wanted }: CachedToolsOptions,
  session: Session,
): Promise<ReadonlyMap<string, Tool>> {
  if (wanted.has('code') && !session.offline) await sandbox?.open();
  const cacheFolder = join(runFolder, '..', '.cache');
  const models = openToolModels({ config, open: createModelOpener(session, cache) }, session);
  const keepDefinition: OpenToolsOptions['keepDefinition'] = (tag, ask) => {
    const { provider, settings } = answersDependOn(tag, config, shaping);
    const tool = { name: tag, provider, settings: settings.settings as JsonObject };
    return keptDefinition(tool, { ...session, cache }, ask);
  };
  const tools = await openTools({ config, wanted, cacheFolder, sandbox, models, keepDefinition }, session);
  const { offline, clock, calls } = session;
  const cached = (tag: string, tool: Tool): Tool =>
    createCachingTool({
      tool: createObservedTool(tool, calls, clock),
      cache,
      ...answersDependOn(tag, config, shaping),
      offline,
      clock,
    });
  return new Map([...tools].map(([tag, tool]) => [tag, cached(tag, tool)]));
}

/**
 * Cache key parts of a tool besides the input: its provider, the settings that shape results (files by content), and
 * `site` if the tool sees it.
 */
function answersDependOn(tag: string, { tools }: Pick<Config, 'tools'>, stages: ConfigFingerprint) {
  const row = rowOfTag(tools, tag)!;
  const asking = stages.check ?? stages.rollout;
  const shaping = isJsonObject(asking.tools) ? asking.tools : {};
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
