import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import type { McpConfig, McpServerConfig } from '../../schemas/config/tools/mcp.ts';
import { openMcpServer } from '../../tools/mcp/mcpRow.ts';
import type { Check } from './checks.ts';

/** Names of a server's tools that are listed when one is missing. */
const MOST_NAMES = 50;
/** Shown of each. */
const MOST_NAME_CHARS = 100;

/** Starts each MCP server of the configuration, and asks whether it offers the tools that tags call. */
export async function checkMcpServers(loaded: LoadedConfig | undefined): Promise<Check[]> {
  const mcp = loaded?.config.tools.mcp;
  if (!mcp) return [];
  return Promise.all(Object.entries(mcp.servers).map(([name, server]) => checkServer(name, server, mcp)));
}

async function checkServer(name: string, server: McpServerConfig, { tools }: McpConfig): Promise<Check> {
  const own = Object.entries(tools).filter(([, tool]) => tool.server === name);
  const wanted = own.map(([tag, { tool = tag }]) => tool);
  const about = {
    what: `MCP server ${name}`,
    neededFor: own.length === 0 ? 'no tool' : `the tools ${own.map(([tag]) => tag).join(', ')}`,
    howToGet: `fix tools.mcp.servers.${name}, or install what it starts`,
    required: own.length > 0,
  };
  try {
    const opened = await openMcpServer(name, server, process.env);
    try {
      const offered = await opened.list(new AbortController().signal);
      const names = offered.map((tool) => tool.name);
      const missing = wanted.filter((tool) => !names.includes(tool));
      if (missing.length === 0)
        return { ...about, ok: true, found: `offers ${wanted.join(', ') || 'tools'}` };
      const shown = names.slice(0, MOST_NAMES).map((tool) => tool.slice(0, MOST_NAME_CHARS));
      const listed = shown.join(', ') || 'none';
      return { ...about, ok: false, found: `offers no ${missing.join(', ')}; it offers ${listed}` };
    } finally {
      await opened.close();
    }
  } catch (error) {
    return { ...about, ok: false, found: (error as Error).message };
  }
}
