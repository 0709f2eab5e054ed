import type { McpConfig, McpServerConfig } from '../../schemas/config/tools/mcp.ts';
import { openMcpServer } from '../../tools/mcp/mcpRow.ts';
import { type CheckRow, type Finding, lookedAt } from './check.ts';

/** Names of a server's tools that are listed when one is missing. */
const MAX_NAMES = 50;
/** Shown of each. */
const MAX_NAME_CHARS = 100;

/** Starts each MCP server of the configuration, and asks whether it offers the tools that tags call. */
export const mcpServersRow: CheckRow = {
  what: 'MCP servers',
  neededFor: 'tools',
  howToGet: '',
  look(loaded) {
    const mcp = loaded?.config.tools.mcp;
    return Promise.all(
      Object.entries(mcp?.servers ?? {}).map(([name, server]) => lookAt(name, server, mcp!)),
    );
  },
};

async function lookAt(name: string, server: McpServerConfig, { tools }: McpConfig): Promise<Finding> {
  const own = Object.entries(tools).filter(([, tool]) => tool.server === name);
  const wanted = own.map(([tag, { tool = tag }]) => tool);
  return {
    what: `MCP server ${name}`,
    neededFor: own.length === 0 ? 'no tool' : `the tools ${own.map(([tag]) => tag).join(', ')}`,
    howToGet: `fix tools.mcp.servers.${name}, or install what it starts`,
    required: own.length > 0,
    ...(await lookedAt(() => lookForTools(name, server, wanted))),
  };
}

async function lookForTools(
  name: string,
  server: McpServerConfig,
  wanted: readonly string[],
): Promise<Finding> {
  const opened = await openMcpServer(name, server, process.env);
  try {
    const offered = await opened.list(new AbortController().signal);
    const names = offered.map((tool) => tool.name);
    const missing = wanted.filter((tool) => !names.includes(tool));
    if (missing.length === 0) return { ok: true, found: `offers ${wanted.join(', ') || 'tools'}` };
    const shown = names.slice(0, MAX_NAMES).map((tool) => tool.slice(0, MAX_NAME_CHARS));
    const listed = shown.join(', ') || 'none';
    return { ok: false, found: `offers no ${missing.join(', ')}; it offers ${listed}` };
  } finally {
    await opened.close();
  }
}
