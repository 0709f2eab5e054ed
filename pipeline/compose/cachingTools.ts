import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { createCachingTool } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observe/createObservedTool.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { RunCalls } from '../../contract/runCalls.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import { searchAddressOf } from '../../schemas/config/resolved/endpoints.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import { mcpProviderOf } from './tools/openMcpTools.ts';

/** What {@link cachingTools} works with. */
export interface CachingToolsOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly config: Pick<Config, 'tools'>;
  readonly shaping: ConfigFingerprint;
  readonly cache: AnswerCache;
  readonly offline: boolean;
  readonly clock: Clock;
  readonly calls: RunCalls;
}

/** Puts the cache before each of a run's tools, and what watches them between. */
export function cachingTools(options: CachingToolsOptions): ReadonlyMap<string, Tool> {
  const { tools, config, shaping, cache, offline, clock, calls } = options;
  return new Map(
    [...tools].map(([name, tool]) => {
      const provider = providerOf(name, config);
      const settings = settingsOf(name, shaping);
      const observed = createObservedTool(tool, calls, clock);
      return [name, createCachingTool({ tool: observed, cache, provider, settings, offline, clock })];
    }),
  );
}

/** Tools that see the bundled site where there is one. */
const webTools: ReadonlySet<string> = new Set(['web_search', 'crawl_page', 'visual_inspector']);

function providerOf(name: string, { tools }: Pick<Config, 'tools'>): string {
  if (tools.mcp && Object.hasOwn(tools.mcp.tools, name)) return mcpProviderOf(name, tools.mcp);
  const url =
    name === 'web_search' ? tools.web_search && searchAddressOf(tools.web_search) : tools.custom[name]?.url;
  if (url !== undefined) return addressWithoutSecrets(url);
  const retrieval = tools.wiki_search?.url;
  if (name === 'wiki_search' && retrieval !== undefined) return addressWithoutSecrets(retrieval);
  return name === 'crawl_page' ? 'web' : 'local';
}

/** A tool's settings as they shape its results, files by their content; the bundled site shapes what the web tools find. */
function settingsOf(name: string, { rollout }: ConfigFingerprint): JsonObject {
  const tools = isJsonObject(rollout.tools) ? rollout.tools : {};
  const custom = isJsonObject(tools.custom) ? tools.custom : {};
  const site = webTools.has(name) ? tools.site : undefined;
  const mcp = isJsonObject(tools.mcp) ? tools.mcp : {};
  return { settings: tools[name] ?? custom[name] ?? mcp[name], site };
}
