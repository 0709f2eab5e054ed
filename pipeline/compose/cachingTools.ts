import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { createCachingTool } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Config } from '../../schemas/config/config.ts';
import { rowOfTag } from '../../tools/toolTable.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';

/** The tools of a run, and what their answers depend on. */
export interface CachingToolsOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly config: Pick<Config, 'tools'>;
  readonly shaping: ConfigFingerprint;
  readonly cache: AnswerCache;
}

/** Puts the cache before each of a run's tools, and what watches them between. */
export function cachingTools(
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
export interface AnswersDependOn {
  /** Who answers. */
  readonly provider: string;
  /** The tool's settings as they shape its results, files by their content, and the site where it sees that. */
  readonly settings: JsonObject;
}

/** What the answers of a configured tool depend on. */
export function answersDependOn(
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
