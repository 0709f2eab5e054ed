import type { JsonObject } from '../../base/json.ts';
import type { McpConfig } from '../../schemas/config/tools/mcp.ts';

/** What of `tools.mcp` shapes records, by tag: what is asked of which program. A service may be at any address. */
export function fingerprintMcpTools({ servers, tools }: McpConfig): Readonly<Record<string, JsonObject>> {
  const shaping = Object.entries(tools).map(([tag, tool]) => {
    const { command, args } = servers[tool.server]!;
    return [tag, { ...tool, ...(command !== undefined && { command, args }) }];
  });
  // What is undefined is left out, as in the configuration that is hashed.
  return JSON.parse(JSON.stringify(Object.fromEntries(shaping)));
}
