import type { JsonObject } from '../../base/json.ts';
import { keyTree, shapingPart } from '../../schemas/config/keyTree.ts';
import { type McpConfig, mcpConfigSchema } from '../../schemas/config/tools/mcp.ts';

const mcpKeys = keyTree(mcpConfigSchema);

/** What of `tools.mcp` shapes records, by tag: what is asked of which program. A service may be at any address. */
export function fingerprintMcpTools(mcp: McpConfig): Readonly<Record<string, JsonObject>> {
  const { servers, tools } = shapingPart(mcpKeys, mcp, 'rollout') as McpConfig;
  const shaping = Object.entries(tools).map(([tag, tool]) => {
    const { command, args } = servers[tool.server]!;
    return [tag, { ...tool, ...(command !== undefined && { command, args }) }];
  });
  return Object.fromEntries(shaping);
}
