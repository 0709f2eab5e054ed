import { addressWithoutSecrets } from '../../../base/addressWithoutSecrets.ts';
import { UserError } from '../../../base/userError.ts';
import type { DefinedElsewhere } from '../../../calls/cache/keepDefinition.ts';
import type { ToolDefinition } from '../../../contract/chatModel.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { McpConfig, McpToolConfig } from '../../../schemas/config/tools/mcp.ts';
import type { McpServer } from '../../../tools/mcp/mcpServer.ts';
import { fingerprintMcpTools } from '../../config/fingerprintMcpTools.ts';
import { RunError } from '../../run/runError.ts';
import type { Resources } from '../resources.ts';
import { openMcpServer } from './openMcpServer.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

type McpToolsOptions = Pick<OpenToolsOptions, 'config' | 'wanted' | 'env' | 'offline' | 'keepDefinition'>;

/**
 * Opens those tools of MCP servers that are wanted. Their servers are started and asked what they offer, unless
 * nothing may be asked: then what was kept of that must do.
 *
 * @throws UserError when the configuration is wrong, RunError when a server does not start
 */
export async function openMcpTools(options: McpToolsOptions, resources: Resources): Promise<Tool[]> {
  const { config, wanted } = options;
  const { mcp } = config.tools;
  const tags = Object.keys(mcp?.tools ?? {}).filter((tag) => wanted.has(tag));
  if (!mcp || tags.length === 0) return [];
  const names = new Set(tags.map((tag) => mcp.tools[tag]!.server));
  const opened = await Promise.all(
    [...names].map((name) => openToolsOf(name, tags, mcp, options, resources)),
  );
  const tools = new Map(opened.flat().map((tool) => [tool.name, tool]));
  return tags.map((tag) => tools.get(tag)!);
}

async function openToolsOf(
  name: string,
  tags: readonly string[],
  mcp: McpConfig,
  options: McpToolsOptions,
  resources: Resources,
): Promise<Tool[]> {
  const { env, offline } = options;
  const server = mcp.servers[name]!;
  // Without calls no value is needed.
  const given = offline ? { ...server, env: [], api_key_env: '', headers_env: {} } : server;
  const opened = resources.keep(await openMcpServer(name, given, env));
  const own = tags.filter((tag) => mcp.tools[tag]!.server === name);
  try {
    const offered = offline ? undefined : await offeredBy(opened, own, name, mcp);
    return await Promise.all(own.map((tag) => openTool(tag, mcp, opened, offered, options)));
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    if (error.failure.cause === 'not_cached') throw new UserError(error.message, { cause: error });
    throw new RunError(
      `tools.mcp.servers.${name}: ${error.message}; mend that (coa-distill doctor tries it), then run again`,
      { cause: error },
    );
  }
}

type Offered = ReadonlyMap<string, Awaited<ReturnType<McpServer['list']>>[number]>;

/** What the server says of the tools that tags call. */
async function offeredBy(
  server: McpServer,
  tags: readonly string[],
  name: string,
  { tools }: McpConfig,
): Promise<Offered> {
  const wanted = new Map(tags.map((tag) => [toolOf(tag, tools[tag]!), tag]));
  const listed = await server.list(new AbortController().signal, new Set(wanted.keys()));
  const offered = new Map(listed.map((tool) => [tool.name, tool]));
  for (const [tool, tag] of wanted) {
    if (offered.has(tool)) continue;
    throw new UserError(
      `tools.mcp.tools.${tag}.tool: the MCP server ${name} offers no tool ${tool}; coa-distill doctor lists what it offers`,
    );
  }
  return offered;
}

function toolOf(tag: string, { tool = tag }: McpToolConfig): string {
  return tool;
}

async function openTool(
  tag: string,
  mcp: McpConfig,
  server: McpServer,
  offered: Offered | undefined,
  { keepDefinition }: McpToolsOptions,
): Promise<Tool> {
  const { createMcpTool } = await import('../../../tools/mcp/createMcpTool.ts');
  const { tameDefinition } = await import('../../../tools/mcp/tameDefinition.ts');
  const config = mcp.tools[tag]!;
  const tool = toolOf(tag, config);
  try {
    const ask = async (): Promise<ToolDefinition> =>
      tameDefinition(tag, offered!.get(tool)!, config.description);
    const definition = await (keepDefinition ? keepDefinition(definedElsewhere(tag, mcp), ask) : ask());
    return createMcpTool({ definition, server, tool, maxChars: config.max_chars });
  } catch (error) {
    if (error instanceof RecordFailure || error instanceof UserError) throw error;
    const { message } = error as Error;
    throw new UserError(
      `tools.mcp.tools.${tag}: the tool ${tool} of ${config.server} can't be used: ${message}`,
      {
        cause: error,
      },
    );
  }
}

function definedElsewhere(tag: string, mcp: McpConfig): DefinedElsewhere {
  return { name: tag, provider: mcpProviderOf(tag, mcp), settings: fingerprintMcpTools(mcp)[tag]! };
}

/** Whose answers those of a tag's tool are, as with other tools: the server's address, or `local`. */
export function mcpProviderOf(tag: string, { servers, tools }: McpConfig): string {
  const { url } = servers[tools[tag]!.server]!;
  return url === undefined ? 'local' : addressWithoutSecrets(url);
}
