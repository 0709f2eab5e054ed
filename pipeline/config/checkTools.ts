import { statSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { McpServerConfig } from '../../schemas/config/tools/mcp.ts';
import { toolFacts, toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { searchProviderFacts } from '../../schemas/config/tools/webSearch.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';
import { suggestion } from './nearestName.ts';

/**
 * Checks that every tool that a profile calls is configured.
 *
 * @throws UserError for the first that is not
 */
export function checkToolsOfProfiles(
  document: ConfigDocument,
  config: Config,
  { profileOf }: ProfileRegistry,
): void {
  const { tools, tasks } = config;
  const builtin = builtinToolsOf(config);
  const isMissing = (tool: string) =>
    builtin.includes(tool)
      ? !Object.hasOwn(tools, tool)
      : !Object.hasOwn(tools.custom, tool) && !Object.hasOwn(tools.mcp?.tools ?? {}, tool);
  tasks.sources.forEach(({ profile }, index) => {
    const missing = toolTags(profileOf(profile)!).find(isMissing);
    if (missing === undefined) return;
    const where = place(document, ['tasks', 'sources', index, 'profile']);
    throw new UserError(
      `${where}: profile ${profile} needs the tool ${missing}, which is not configured; add ${sectionsFor(missing)}`,
    );
  });
  config.profiles.forEach(({ name }, index) => {
    // Of a built-in one only the prompt is declared.
    if (builtinProfile(name)) return;
    const missing = toolTags(profileOf(name)!).find(isMissing);
    if (missing === undefined) return;
    const where = place(document, ['profiles', index, 'tags']);
    throw new UserError(`${where}: the tag ${missing} of ${name} has no tool; add ${sectionsFor(missing)}`);
  });
}

function sectionsFor(tool: string): string {
  return Object.hasOwn(toolFacts, tool) ? `tools.${tool}` : `tools.custom.${tool} or tools.mcp.tools.${tool}`;
}

/**
 * Checks the `tools` section as far as it can be without starting anything: somebody answers web searches, every tag
 * calls one tool and stands in a profile, every server of `tools.mcp` is there.
 *
 * @throws UserError for the first thing that is wrong
 */
export function checkTools(document: ConfigDocument, { tools }: Config, { profiles }: ProfileRegistry): void {
  checkWebSearch(document, tools);
  const builtin = builtinToolsOf({ tools });
  const called = [...new Set(profiles.flatMap(toolTags).filter((tag) => !builtin.includes(tag)))];
  const checkTag = (tag: string, where: string) => {
    if (builtin.includes(tag))
      throw new UserError(`${where}: ${tag} is built in; configure it as tools.${tag}`);
    if (!called.includes(tag))
      throw new UserError(`${where}: no profile has a tool ${tag}; ${suggestion(tag, called)}`);
  };
  for (const [tag, { input_schema }] of Object.entries(tools.custom)) {
    checkTag(tag, place(document, ['tools', 'custom', tag]));
    const problem = input_schema && inputSchemaProblem(input_schema);
    if (problem)
      throw new UserError(`${place(document, ['tools', 'custom', tag, 'input_schema'])}: ${problem}`);
  }
  checkMcpTools(document, tools, checkTag);
}

/** The tools that are called by a section of their own; a tag that yields may call any other without that section. */
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
  document: ConfigDocument,
  { mcp, custom }: Config['tools'],
  checkTag: (tag: string, where: string) => void,
): void {
  if (!mcp) return;
  const at = (...keys: string[]) => place(document, ['tools', 'mcp', ...keys]);
  for (const [tag, { server }] of Object.entries(mcp.tools)) {
    checkTag(tag, at('tools', tag));
    if (Object.hasOwn(custom, tag))
      throw new UserError(`${at('tools', tag)}: ${tag} is also in tools.custom; a tag calls one tool`);
    if (!Object.hasOwn(mcp.servers, server)) {
      const known = suggestion(server, Object.keys(mcp.servers));
      throw new UserError(
        `${at('tools', tag, 'server')}: no server is named ${server} in tools.mcp.servers; ${known}`,
      );
    }
  }
  for (const [name, server] of Object.entries(mcp.servers)) {
    const problem = serverProblem(server);
    if (problem) throw new UserError(`${at('servers', name, problem.key)}: ${problem.message}`);
  }
}

/** A key that says nothing for this kind of server was meant otherwise than it would be taken. */
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

function checkWebSearch(document: ConfigDocument, { web_search, site, wiki_search }: Config['tools']): void {
  if (!web_search) return;
  const { provider, base_url, num } = web_search;
  const fail = (key: string | undefined, problem: string): never => {
    throw new UserError(`${place(document, ['tools', 'web_search', ...(key ? [key] : [])])}: ${problem}`);
  };
  const { mostResults } = searchProviderFacts[provider];
  if (num > mostResults) fail('num', `expected at most ${mostResults}, what ${provider} gives, got ${num}`);
  if (provider === 'local') {
    if (base_url) fail('base_url', 'the provider local asks no service; take base_url out');
    if (!site && !wiki_search)
      fail('provider', 'local searches tools.site or the corpus of tools.wiki_search; add one of them');
  }
  if (provider === 'searxng' && !base_url)
    fail(
      'provider',
      'no address of the SearXNG instance; set tools.web_search.base_url, for instance http://127.0.0.1:8080',
    );
  if (provider === 'serper' && !base_url && !site)
    fail(undefined, 'no search service; set tools.web_search.base_url, or tools.site for pages of your own');
}
