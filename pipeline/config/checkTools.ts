import { statSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { allowedNames } from '../../base/nearestName.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { McpServerConfig } from '../../schemas/config/tools/mcp.ts';
import { toolFacts, toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { searchProviderFacts } from '../../schemas/config/tools/webSearch.ts';
import type { ToolsConfig } from '../../schemas/config/tools.ts';
import type { ConfigProblems } from './configProblems.ts';

export function checkToolsOfProfiles(
  problems: ConfigProblems,
  config: Config,
  { profileOf }: ProfileRegistry,
): void {
  const missingToolOf = (profile: string): string | undefined => {
    const known = profileOf(profile);
    return known && missingTool(toolTags(known), config);
  };
  for (const [at, { profile }] of config.tasks.sources.entries()) {
    const missing = missingToolOf(profile);
    if (missing !== undefined)
      problems.add(
        ['tasks', 'sources', at, 'profile'],
        `profile ${profile} ${lackingTool([missing], config)}`,
      );
  }
  for (const [at, { name }] of config.profiles.entries()) {
    // Built-in profiles may be declared only to change the prompt.
    const missing = builtinProfile(name) ? undefined : missingToolOf(name);
    if (missing !== undefined)
      problems.add(
        ['profiles', at, 'tags'],
        `the tag ${missing} of ${name} has no tool; add ${sectionsFor(missing)}`,
      );
  }
}

/** Missing tool of a profile as the end of a sentence; undefined if all are configured. */
export function lackingTool(tags: readonly string[], config: Config): string | undefined {
  const missing = missingTool(tags, config);
  return missing && `needs the tool ${missing}, which is not configured; add ${sectionsFor(missing)}`;
}

function missingTool(tags: readonly string[], config: Config): string | undefined {
  const builtin = builtinToolsOf(config);
  const { tools } = config;
  return tags.find((tool) =>
    builtin.includes(tool)
      ? !Object.hasOwn(tools, tool)
      : !Object.hasOwn(tools.custom, tool) && !Object.hasOwn(tools.mcp?.tools ?? {}, tool),
  );
}

function sectionsFor(tool: string): string {
  return Object.hasOwn(toolFacts, tool) ? `tools.${tool}` : `tools.custom.${tool} or tools.mcp.tools.${tool}`;
}

/**
 * Checks the `tools` section without starting anything: web search has a provider, every tag calls one tool and belongs
 * to a profile, every server of `tools.mcp` exists.
 */
export function checkTools(problems: ConfigProblems, config: Config, { profiles }: ProfileRegistry): void {
  checkWebSearch(problems, config.tools);
  const builtin = builtinToolsOf(config);
  const called = [...new Set(profiles.flatMap(toolTags).filter((one) => !builtin.includes(one)))];
  const checkTag = (tag: string, keys: readonly string[]) => {
    if (builtin.includes(tag)) problems.add(keys, `${tag} is built in; configure it as tools.${tag}`);
    else if (!called.includes(tag))
      problems.add(keys, `no profile has a tool ${tag}; ${allowedNames(tag, called)}`);
  };
  for (const [tag, { input_schema }] of Object.entries(config.tools.custom)) {
    checkTag(tag, ['tools', 'custom', tag]);
    const problem = input_schema && inputSchemaProblem(input_schema);
    if (problem) problems.add(['tools', 'custom', tag, 'input_schema'], problem);
  }
  checkMcpTools(problems, config.tools, checkTag);
}

/** Tools with a section of their own; a tag that yields may call any other tool without a section. */
function builtinToolsOf({ tools }: Pick<Config, 'tools'>): readonly string[] {
  return toolNames.filter((tool) => !toolFactsOf(tool).yieldsTag || tools[tool] !== undefined);
}

function inputSchemaProblem(schema: JsonObject): string | undefined {
  if (schema.type !== 'object') return 'expected a JSON Schema of type object';
  try {
    z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return undefined;
  } catch (error) {
    return `not a JSON Schema that can be checked: ${(error as Error).message}`;
  }
}

function checkMcpTools(
  problems: ConfigProblems,
  { custom, mcp = { servers: {}, tools: {} } }: ToolsConfig,
  checkTag: (tag: string, keys: readonly string[]) => void,
): void {
  const at = (...keys: string[]) => ['tools', 'mcp', ...keys];
  for (const [tag, { server }] of Object.entries(mcp.tools)) {
    checkTag(tag, at('tools', tag));
    if (Object.hasOwn(custom, tag))
      problems.add(at('tools', tag), `${tag} is also in tools.custom; a tag calls one tool`);
    if (!Object.hasOwn(mcp.servers, server)) {
      const known = allowedNames(server, Object.keys(mcp.servers));
      problems.add(at('tools', tag, 'server'), `no server is named ${server} in tools.mcp.servers; ${known}`);
    }
  }
  for (const [name, server] of Object.entries(mcp.servers)) {
    const problem = serverProblem(server);
    if (problem) problems.add(at('servers', name, problem.key), problem.message);
  }
}

/** Reports a key that has no effect for this kind of server. */
function serverProblem(
  server: McpServerConfig,
): { readonly key: string; readonly message: string } | undefined {
  const { command, args, env, cwd, api_key_env, headers_env } = server;
  if (command === undefined) {
    const key = args.length > 0 ? 'args' : env.length > 0 ? 'env' : cwd !== undefined ? 'cwd' : undefined;
    return (
      key && { key, message: 'is for a server with command; one with url takes api_key_env and headers_env' }
    );
  }
  const hasHeaders = Object.keys(headers_env).length > 0;
  const key = api_key_env !== undefined ? 'api_key_env' : hasHeaders ? 'headers_env' : undefined;
  if (key) return { key, message: 'is for a server with url; one with command takes env' };
  const isFolder = cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? undefined : { key: 'cwd', message: `no such folder: ${cwd}` };
}

function checkWebSearch(
  problems: ConfigProblems,
  { web_search: search, site, wiki_search }: ToolsConfig,
): void {
  if (!search) return;
  const { provider, num, base_url } = search;
  const fail = (key: string | undefined, problem: string) =>
    problems.add(['tools', 'web_search', ...(key ? [key] : [])], problem);
  const { mostResults } = searchProviderFacts[provider];
  if (num > mostResults) fail('num', `expected at most ${mostResults}, what ${provider} gives, got ${num}`);
  if (provider === 'local' && base_url)
    fail('base_url', 'the provider local asks no service; take base_url out');
  if (provider === 'local' && !site && !wiki_search)
    fail('provider', 'local searches tools.site or the corpus of tools.wiki_search; add one of them');
  if (provider === 'searxng' && !base_url)
    fail(
      'provider',
      'no address of the SearXNG instance; set tools.web_search.base_url, for instance http://127.0.0.1:8080',
    );
  if (provider === 'serper' && !base_url && !site)
    fail(undefined, 'no search service; set tools.web_search.base_url, or tools.site for pages of your own');
}
